import argparse
import random

import numpy as np
import torch

from agent import DoubleDQN
from buffer import ReplayBuffer
from env import GridWorld


def parse_args():
    p = argparse.ArgumentParser()
    p.add_argument("--steps", type=int, default=2500)
    p.add_argument("--warmup", type=int, default=200)
    p.add_argument("--batch-size", type=int, default=32)
    p.add_argument("--capacity", type=int, default=2000)
    p.add_argument("--sync-every", type=int, default=100)
    p.add_argument("--seed", type=int, default=0)
    return p.parse_args()


def main():
    args = parse_args()
    random.seed(args.seed)
    torch.manual_seed(args.seed)
    env = GridWorld(seed=args.seed)
    agent = DoubleDQN(env.obs_dim, env.n_actions)
    buffer = ReplayBuffer(args.capacity, env.obs_dim, seed=args.seed)

    obs, ep_return, returns = env.reset(), 0.0, []
    for step in range(1, args.steps + 1):
        epsilon = max(0.05, 1.0 - step / (0.5 * args.steps))
        action = agent.act(obs, epsilon)
        next_obs, reward, done = env.step(action)
        buffer.add(obs, action, reward, next_obs, done)
        ep_return += reward
        obs = next_obs
        if done:
            returns.append(ep_return)
            obs, ep_return = env.reset(), 0.0
        if step > args.warmup:
            agent.learn(buffer.sample(args.batch_size))
        if step % args.sync_every == 0:
            agent.sync()
        if step % 500 == 0:
            print(f"step {step:5d}  eps {epsilon:.2f}  return {np.mean(returns[-20:]):+.2f}")


if __name__ == "__main__":
    main()
