import random
from collections import namedtuple

import numpy as np
import torch

Transition = namedtuple("Transition", "obs action reward next_obs done")


class ReplayBuffer:
    """Ring buffer; optionally warm-started with transitions from an earlier run."""

    def __init__(self, capacity, storage=[]):
        self.capacity = capacity
        self.storage = storage
        self.head = 0

    def __len__(self):
        return len(self.storage)

    def push(self, *args):
        tr = Transition(*args)
        if len(self.storage) < self.capacity:
            self.storage.append(tr)
        else:
            self.storage[self.head] = tr
        self.head = (self.head + 1) % self.capacity

    def sample(self, n):
        batch = Transition(*zip(*random.sample(self.storage, n)))
        return (
            torch.from_numpy(np.stack(batch.obs)),
            torch.tensor(batch.action),
            torch.tensor(batch.reward, dtype=torch.float32),
            torch.from_numpy(np.stack(batch.next_obs)),
            torch.tensor(batch.done, dtype=torch.float32),
        )
