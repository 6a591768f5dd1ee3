import argparse

import torch

from gridq.agent import DQN
from gridq.env import GridWorld
from gridq.replay import ReplayBuffer


def parse_args():
    p = argparse.ArgumentParser(description="DQN on small grid worlds")
    p.add_argument("--map", default="open5")
    p.add_argument("--episodes", type=int, default=40)
    p.add_argument("--hidden", type=int, nargs="+", default=[64, 64])
    p.add_argument("--batch-size", type=int, default=32)
    p.add_argument("--gamma", type=float, default=0.97)
    p.add_argument("--lr", type=float, default=1e-3)
    p.add_argument("--eps-end", type=float, default=0.05)
    p.add_argument("--sync-every", type=int, default=200)
    p.add_argument("--seed", type=int, default=0)
    return p.parse_args()


def main():
    args = parse_args()
    torch.manual_seed(args.seed)
    env = GridWorld(args.map)
    agent = DQN(env.obs_dim, env.n_actions, args.hidden, args.lr, args.gamma)
    buffer = ReplayBuffer(5000, env.obs_dim, args.seed)

    step = 0
    for episode in range(args.episodes):
        obs, done, truncated, total = env.reset(), False, False, 0.0
        eps = max(args.eps_end, 1.0 - episode / (0.6 * args.episodes))
        while not (done or truncated):
            action = agent.act(obs, eps)
            next_obs, reward, done, truncated = env.step(action)
            buffer.add(obs, action, reward, next_obs, done)
            obs, total, step = next_obs, total + reward, step + 1
            if len(buffer) >= 4 * args.batch_size:
                agent.update(buffer.sample(args.batch_size))
            if step % args.sync_every == 0:
                agent.sync()
        if episode % 5 == 0:
            print(f"episode {episode:3d}  eps {eps:.2f}  steps {env.t:3d}  return {total:+.2f}")


if __name__ == "__main__":
    main()
