import argparse

import torch
import torch.nn.functional as F

from cartpole import CartPole, expert
from policy import Policy, save


def demonstrations(episodes, seed):
    env = CartPole(seed)
    states, actions = [], []
    for _ in range(episodes):
        s, done = env.reset(), False
        while not done:
            a = expert(s)
            states.append(s)
            actions.append(a)
            s, _, done = env.step(a if env.rng.random() > 0.05 else 1 - a)
    return torch.tensor(states), torch.tensor(actions)


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--hidden", type=int, default=32)
    p.add_argument("--episodes", type=int, default=10)
    p.add_argument("--epochs", type=int, default=60)
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--save", required=True)
    args = p.parse_args()

    torch.manual_seed(args.seed)
    states, actions = demonstrations(args.episodes, args.seed)
    policy = Policy(args.hidden)
    opt = torch.optim.Adam(policy.parameters(), lr=1e-2)
    for epoch in range(args.epochs):
        loss = F.cross_entropy(policy(states), actions)
        opt.zero_grad()
        loss.backward()
        opt.step()
    acc = (policy(states).argmax(1) == actions).float().mean()
    print(f"cloned {len(states)} steps, accuracy {acc:.3f}")
    save(policy, args.save)
