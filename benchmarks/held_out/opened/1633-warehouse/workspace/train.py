import argparse
import random

import torch

from agent import DQNAgent
from env import Warehouse
from replay import ReplayBuffer


def evaluate(agent, episodes=50):
    env = Warehouse(seed=999)
    arrived = 0
    for _ in range(episodes):
        state, over = env.reset(), False
        while not over:
            state, _, reached, truncated = env.step(agent.act(state))
            over = reached or truncated
        arrived += reached
    return arrived / episodes


def parse_args():
    p = argparse.ArgumentParser()
    p.add_argument("--episodes", type=int, default=250)
    p.add_argument("--batch-size", type=int, default=64)
    p.add_argument("--buffer", type=int, default=10_000)
    p.add_argument("--sync-every", type=int, default=100)
    p.add_argument("--min-success", type=float, default=0.9)
    p.add_argument("--seed", type=int, default=1)
    return p.parse_args()


def main():
    args = parse_args()
    random.seed(args.seed)
    torch.manual_seed(args.seed)
    env = Warehouse(seed=args.seed)
    agent = DQNAgent(env.obs_dim, env.n_actions, scale=env.size - 1)
    buffer = ReplayBuffer(args.buffer)
    updates = 0

    for episode in range(1, args.episodes + 1):
        epsilon = max(0.05, 1.0 - episode / (0.6 * args.episodes))
        state, over, total, losses = env.reset(), False, 0.0, []
        while not over:
            action = agent.act(state, epsilon)
            next_state, reward, reached, truncated = env.step(action)
            buffer.push(state, action, reward, next_state, reached)
            state = next_state
            total += reward
            over = reached or truncated
            if len(buffer) >= 500:
                losses.append(agent.learn(buffer.sample(args.batch_size)))
                updates += 1
                if updates % args.sync_every == 0:
                    agent.sync()
        if episode % 50 == 0:
            mean_loss = sum(losses) / max(1, len(losses))
            print(f"episode {episode:4d} eps {epsilon:.2f} return {total:+.2f} loss {mean_loss:.4f}")

    success = evaluate(agent)
    print(f"greedy success rate {success:.2f} after {updates} updates")
    if success < args.min_success:
        raise RuntimeError(f"policy not usable: success rate {success:.2f} < {args.min_success:.2f}")
    torch.save(agent.online.state_dict(), "policy.pt")


if __name__ == "__main__":
    main()
