import random
from collections import deque, namedtuple

import numpy as np
import torch

Transition = namedtuple("Transition", "obs action reward next_obs done")


class ReplayBuffer:
    def __init__(self, capacity, seed=0):
        self.data = deque(maxlen=capacity)
        self.random = random.Random(seed)

    def push(self, obs, action, reward, next_obs, done):
        self.data.append(Transition(obs, action, reward, next_obs, float(done)))

    def sample(self, n):
        cols = Transition(*zip(*self.random.sample(self.data, n)))
        return (
            torch.from_numpy(np.stack(cols.obs)),
            torch.tensor(cols.action),
            torch.tensor(cols.reward),
            torch.from_numpy(np.stack(cols.next_obs)),
            torch.tensor(cols.done),
        )

    def __len__(self):
        return len(self.data)
