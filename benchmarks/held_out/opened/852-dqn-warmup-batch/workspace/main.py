import math
import random

import numpy as np
import torch

import config as C
from agent import DQNAgent
from env import GridWorld
from replay import ReplayBuffer

random.seed(0)
np.random.seed(0)
torch.manual_seed(0)


def epsilon(ep):
    return C.EPS_END + (C.EPS_START - C.EPS_END) * math.exp(-ep / C.EPS_DECAY)


def main():
    env = GridWorld(**C.ENV)
    agent = DQNAgent(**C.AGENT)
    memory = ReplayBuffer(C.REPLAY_SIZE)
    returns = []
    for ep in range(C.EPISODES):
        s, total = env.reset(), 0.0
        while True:
            a = agent.act(s, epsilon(ep))
            s2, r, done, truncated = env.step(a)
            memory.push(s, a, r, s2, done)
            s, total = s2, total + r
            if len(memory) >= C.WARMUP:
                loss = agent.update(memory.sample(C.BATCH_SIZE))
            if done or truncated:
                break
        returns.append(total)
        if (ep + 1) % 15 == 0:
            print(f"episode {ep + 1} eps {epsilon(ep):.2f} return {np.mean(returns[-15:]):.3f} loss {loss:.5f}")
    s, steps = env.reset(), 0
    while True:
        s, _, done, truncated = env.step(agent.act(s, 0.0))
        steps += 1
        if done or truncated:
            break
    print("greedy rollout:", "reached goal" if done else "failed", "in", steps, "steps")


if __name__ == "__main__":
    main()
