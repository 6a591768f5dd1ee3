import argparse

import torch

from agent import DQNAgent
from gridworld import GridWorld
from replay import ReplayBuffer


def linear(start, end, duration, t):
    return max(end, start + (end - start) * t / duration)


def evaluate(agent, episodes=50, seed=1234):
    env = GridWorld(seed=seed)
    solved, total = 0, 0.0
    for _ in range(episodes):
        obs, done, truncated = env.reset(), False, False
        while not (done or truncated):
            obs, reward, done, truncated = env.step(agent.act(obs))
            total += reward
        solved += done
    return solved / episodes, total / episodes


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--steps", type=int, default=6000)
    ap.add_argument("--warmup", type=int, default=500)
    ap.add_argument("--batch-size", type=int, default=64)
    ap.add_argument("--sync-every", type=int, default=200)
    ap.add_argument("--require", type=float, default=0.8, help="fail if fewer episodes are solved at the end")
    ap.add_argument("--seed", type=int, default=0)
    args = ap.parse_args()

    torch.manual_seed(args.seed)
    env = GridWorld(seed=args.seed)
    agent = DQNAgent(env, seed=args.seed)
    buffer = ReplayBuffer(5000, seed=args.seed)

    obs = env.reset()
    losses = []
    for step in range(1, args.steps + 1):
        eps = linear(1.0, 0.1, args.steps * 0.6, step)
        action = agent.act(obs, eps)
        next_obs, reward, done, truncated = env.step(action)
        buffer.push(obs, action, reward, next_obs, done)
        obs = env.reset() if done or truncated else next_obs

        if len(buffer) >= args.warmup:
            losses.append(agent.learn(buffer.sample(args.batch_size)))
        if step % args.sync_every == 0:
            agent.sync()
        if step % 1500 == 0:
            rate, ret = evaluate(agent)
            recent = sum(losses[-500:]) / len(losses[-500:])
            print(f"step {step:5d} eps {eps:.2f} td-loss {recent:.4f} solved {rate:.0%} return {ret:+.2f}")

    rate, _ = evaluate(agent, episodes=100)
    if rate < args.require:
        raise RuntimeError(f"greedy policy solves only {rate:.0%} of the episodes (required {args.require:.0%})")
    torch.save(agent.q.state_dict(), "policy.pt")
    print("saved policy.pt")


if __name__ == "__main__":
    main()
