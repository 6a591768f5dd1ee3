"""PPO with a shared body for policy and value."""
import argparse

import numpy as np
import pfrl
import torch
from env import Corridor
from pfrl import experiments
from pfrl.agents import PPO
from pfrl.policies import SoftmaxCategoricalHead
from torch import nn


class Body(nn.Module):
    def __init__(self, inputs, width):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(inputs, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh())

    def forward(self, x):
        return self.layers(x)


parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=512)
parser.add_argument("--update-interval", type=int, default=128)
parser.add_argument("--minibatch-size", type=int, default=32)
parser.add_argument("--width", type=int, default=24)
args = parser.parse_args()

env = Corridor(length=6, slip=0.0)
normalizer = pfrl.nn.EmpiricalNormalization(env.observation_space.low.size, clip_threshold=5)
model = nn.Sequential(
    Body(env.observation_space.low.size, args.width),
    pfrl.nn.Branched(
        nn.Sequential(nn.Linear(args.width, env.action_space.n), SoftmaxCategoricalHead()),
        nn.Linear(args.width, 1),
    ),
)
agent = PPO(
    model,
    torch.optim.Adam(model.parameters(), lr=3e-3, eps=1e-5),
    obs_normalizer=normalizer,
    update_interval=args.update_interval,
    minibatch_size=args.minibatch_size,
    epochs=4,
    clip_eps=0.2,
    entropy_coef=0.01,
    standardize_advantages=True,
    gamma=0.97,
    lambd=0.9,
)
returns, observation, total = [], env.reset(), 0.0
for step in range(args.steps):
    action = agent.act(observation)
    observation, reward, done, info = env.step(action)
    total += reward
    agent.observe(observation, reward, done, reset=done)
    if done:
        returns.append(total)
        observation, total = env.reset(), 0.0
statistics = dict(agent.get_statistics())
print({k: round(float(v), 4) for k, v in statistics.items() if np.isfinite(v)})
with agent.eval_mode():
    result = experiments.eval_performance(env, agent, n_steps=None, n_episodes=5)
print(f"episodes {len(returns)}, mean return {result['mean']:.3f}")
