import random
import sys
from collections import deque

import torch

from agent.dqn import DQNAgent
from agent.env import CliffWalk
from agent.replay import ReplayBuffer

EPISODES = int(sys.argv[1]) if len(sys.argv) > 1 else 120
BATCH, WARMUP, EVERY = 64, 200, 2

random.seed(4)
torch.manual_seed(4)
env = CliffWalk(seed=4)
agent = DQNAgent(env.obs_dim, env.n_actions)
buffer = ReplayBuffer(5000, env.obs_dim)
returns, steps = deque(maxlen=30), 0

for ep in range(EPISODES):
    obs, total, done = env.reset(), 0.0, False
    eps = max(0.05, 1.0 - ep / (0.6 * EPISODES))
    while not done:
        a = agent.act(obs, eps)
        nxt, r, done = env.step(a)
        buffer.push(obs, a, r, nxt, done)
        obs, total, steps = nxt, total + r, steps + 1
        if len(buffer) >= WARMUP and steps % EVERY == 0:
            loss = agent.learn(buffer.sample(BATCH))
    returns.append(total)
    if ep % 30 == 29:
        print(f"ep {ep + 1:4d} | steps {steps:5d} | eps {eps:.2f} | mean return {sum(returns) / len(returns):+.2f} | loss {loss:.4f}")
