from dataclasses import dataclass

import numpy as np
import torch

from agent import Agent
from memory import Memory
from yard import Yard


@dataclass
class HP:
    episodes: int = 600
    hidden: int = 64
    lr: float = 1e-3
    gamma: float = 0.9
    sync: int = 200
    batch: int = 64
    capacity: int = 20000
    warmup: int = 500
    eps_end: float = 0.05
    eps_episodes: int = 300
    seed: int = 4


def greedy_score(agent, episodes=40):
    env = Yard(seed=999)
    rng = np.random.default_rng(0)
    solved = 0
    for _ in range(episodes):
        obs, done = env.reset(), False
        while not done:
            obs, r, done = env.step(agent.act(obs, 0.0, rng))
        solved += r > 0.5
    return solved / episodes


def main():
    torch.set_num_threads(1)
    hp = HP()
    torch.manual_seed(hp.seed)
    rng = np.random.default_rng(hp.seed)
    env = Yard(seed=hp.seed)
    agent = Agent(env.obs_dim, env.n_actions, hp)
    mem = Memory(hp.capacity, env.obs_dim)

    returns, losses, steps = [], [], 0
    for ep in range(1, hp.episodes + 1):
        eps = max(hp.eps_end, 1 - (1 - hp.eps_end) * ep / hp.eps_episodes)
        obs, done, total = env.reset(), False, 0.0
        while not done:
            a = agent.act(obs, eps, rng)
            nxt, r, done = env.step(a)
            mem.push(obs, a, r, nxt, float(done))
            obs = nxt
            total += r
            steps += 1
            if mem.n >= hp.warmup and steps % 2 == 0:
                losses.append(agent.learn(*mem.draw(hp.batch, rng)))
        returns.append(total)
        if ep % 100 == 0:
            print(f"ep {ep:4d} steps {steps:6d} eps {eps:.2f} return {np.mean(returns[-100:]):+.3f} "
                  f"loss {np.mean(losses[-500:] or [0]):.5f} greedy solved {greedy_score(agent):.2f}")


if __name__ == "__main__":
    main()
