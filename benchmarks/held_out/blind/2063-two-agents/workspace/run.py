import argparse
import random

import torch

from agent import DQNAgent
from envs import PointMass, Thermostat

TASKS = {"thermostat": Thermostat, "pointmass": PointMass}


def train(name, episodes, seed):
    env = TASKS[name](seed=seed)
    agent = DQNAgent(env.obs_dim, env.n_actions)
    returns = []
    for ep in range(episodes):
        eps = max(0.05, 1.0 - ep / (0.6 * episodes))
        obs, done, total = env.reset(), False, 0.0
        while not done:
            a = agent.act(obs, eps)
            nxt, r, done = env.step(a)
            agent.remember(obs, a, r, nxt, done)
            agent.learn()
            obs, total = nxt, total + r
        returns.append(total)
        if (ep + 1) % 20 == 0:
            print(f"[{name}] episode {ep + 1:3d} return(20) {sum(returns[-20:]) / 20:7.2f} eps {eps:.2f}",
                  flush=True)
    return sum(returns[-20:]) / 20


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--tasks", nargs="+", default=list(TASKS))
    ap.add_argument("--episodes", type=int, default=60)
    ap.add_argument("--seed", type=int, default=0)
    args = ap.parse_args()
    scores = {}
    for name in args.tasks:
        random.seed(args.seed)
        torch.manual_seed(args.seed)
        scores[name] = train(name, args.episodes, args.seed)
    print("final:", {k: round(v, 2) for k, v in scores.items()})


if __name__ == "__main__":
    main()
