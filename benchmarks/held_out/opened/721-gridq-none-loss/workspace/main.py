import random

import numpy as np
import torch

from agent import DQNAgent
from env import GridWorld

EPISODES = 60
SYNC_EVERY = 5


def main():
    random.seed(0)
    torch.manual_seed(0)
    env = GridWorld("maps/small.txt")
    agent = DQNAgent(env.n_obs, env.n_actions)
    returns = []
    for ep in range(EPISODES):
        obs = env.reset()
        eps = max(0.05, 1 - ep / 40)
        total, losses = 0.0, []
        while True:
            action = agent.act(obs, eps)
            next_obs, reward, done, timeout = env.step(action)
            agent.memory.push(obs, action, reward, next_obs, done)
            obs = next_obs
            total += reward
            loss = agent.learn()
            losses.append(loss)
            if done or timeout:
                break
        returns.append(total)
        if ep % SYNC_EVERY == 0:
            agent.sync()
        if ep % 10 == 0:
            print(f"episode {ep} mean return {np.mean(returns[-10:]):.3f} loss {sum(losses) / max(1, len(losses)):.4f}")


if __name__ == "__main__":
    main()
