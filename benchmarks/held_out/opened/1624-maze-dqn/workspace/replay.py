from collections import deque

import numpy as np
import torch


class ReplayBuffer:
    def __init__(self, capacity, rng):
        self.items = deque(maxlen=capacity)
        self.rng = rng

    def __len__(self):
        return len(self.items)

    def push(self, obs, action, reward, next_obs, terminal):
        self.items.append((obs, action, reward, next_obs, terminal))

    def sample(self, n):
        picks = self.rng.integers(len(self.items), size=n)
        obs, act, rew, nxt, term = zip(*(self.items[i] for i in picks))
        return (
            torch.from_numpy(np.stack(obs)),
            torch.tensor(act),
            torch.tensor(rew, dtype=torch.float32),
            torch.from_numpy(np.stack(nxt)),
            torch.tensor(term, dtype=torch.float32),
        )
