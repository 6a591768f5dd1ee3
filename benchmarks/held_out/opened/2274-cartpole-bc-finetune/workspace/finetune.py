import argparse

import torch

from cartpole import CartPole
from policy import Policy, load_into, save


def rollout(env, policy):
    logps, rewards = [], []
    s, done = env.reset(), False
    while not done:
        dist = policy.dist(torch.tensor(s))
        a = dist.sample()
        logps.append(dist.log_prob(a))
        s, r, done = env.step(a.item())
        rewards.append(r)
    return torch.stack(logps), rewards


def returns_to_go(rewards, gamma):
    out, total = [], 0.0
    for r in reversed(rewards):
        total = r + gamma * total
        out.append(total)
    g = torch.tensor(out[::-1])
    return (g - g.mean()) / (g.std() + 1e-6)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--hidden", type=int, default=32)
    p.add_argument("--init")
    p.add_argument("--save")
    p.add_argument("--episodes", type=int, default=15)
    p.add_argument("--gamma", type=float, default=0.98)
    p.add_argument("--lr", type=float, default=1e-3)
    p.add_argument("--seed", type=int, default=0)
    args = p.parse_args()

    torch.manual_seed(args.seed)
    policy = Policy(args.hidden)
    if args.init:
        load_into(policy, args.init)
    opt = torch.optim.Adam(policy.parameters(), lr=args.lr)
    env = CartPole(args.seed + 100)
    lengths = []
    for episode in range(1, args.episodes + 1):
        logps, rewards = rollout(env, policy)
        loss = -(logps * returns_to_go(rewards, args.gamma)).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        lengths.append(len(rewards))
        if episode % 5 == 0:
            print(f"episode {episode:3d}  mean length {sum(lengths[-5:]) / 5:.0f}")
    if args.save:
        save(policy, args.save)


if __name__ == "__main__":
    main()
