import random
from collections import deque

import torch


class Replay:
    def __init__(self, capacity, seed=0):
        self.buf = deque(maxlen=capacity)
        self.rng = random.Random(seed)

    def __len__(self):
        return len(self.buf)

    def push(self, obs, action, reward, nxt, done):
        self.buf.append((obs, action, reward, nxt, done))

    def sample(self, n):
        obs, act, rew, nxt, done = zip(*self.rng.sample(self.buf, n))
        return (torch.tensor(obs), torch.tensor(act), torch.tensor(rew),
                torch.tensor(nxt), torch.tensor(done, dtype=torch.float32))
