import sys

import numpy as np
import torch
import yaml

from agents import DQNAgent, ReplayBuffer
from tank_env import TankEnv


def evaluate(agent, cfg, episodes=3):
    env = TankEnv(**cfg["env"])
    returns = []
    for k in range(episodes):
        obs, _ = env.reset(seed=1000 + k)
        total, over = 0.0, False
        while not over:
            obs, reward, terminated, truncated, _ = env.step(agent.act(obs, eps=0.0))
            total += reward
            over = terminated or truncated
        returns.append(total)
    return float(np.mean(returns))


def main(cfg):
    torch.manual_seed(cfg["seed"])
    rng = np.random.default_rng(cfg["seed"])
    env = TankEnv(**cfg["env"])
    obs_dim = env.observation_space.shape[0]
    agent = DQNAgent(obs_dim, env.action_space.n, cfg["agent"], rng)
    buffer = ReplayBuffer(cfg["replay_size"], obs_dim)
    start_eps, end_eps = cfg["eps"]
    step = 0
    for episode in range(cfg["episodes"]):
        eps = start_eps + (end_eps - start_eps) * episode / max(cfg["episodes"] - 1, 1)
        obs, _ = env.reset(seed=episode)
        total, losses, over = 0.0, [], False
        while not over:
            action = agent.act(obs, eps)
            next_obs, reward, terminated, truncated, _ = env.step(action)
            over = terminated or truncated
            buffer.add(obs, action, next_obs, reward, terminated)
            obs = next_obs
            total += reward
            step += 1
            if len(buffer) >= cfg["warmup"]:
                losses.append(agent.update(buffer.sample(cfg["batch_size"], rng)))
            if step % cfg["sync_every"] == 0:
                agent.sync()
        mean_loss = np.mean(losses) if losses else float("nan")
        print(f"episode {episode:2d}  eps {eps:.2f}  return {total:7.2f}  loss {mean_loss:.4f}")
    print(f"greedy return: {evaluate(agent, cfg):.2f}")


if __name__ == "__main__":
    with open(sys.argv[1] if len(sys.argv) > 1 else "dqn.yaml") as f:
        main(yaml.safe_load(f))
