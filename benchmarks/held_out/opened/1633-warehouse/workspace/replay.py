import random
from collections import deque

import numpy as np
import torch


class ReplayBuffer:
    def __init__(self, capacity):
        self.items = deque(maxlen=capacity)

    def __len__(self):
        return len(self.items)

    def push(self, state, action, reward, next_state, terminal):
        self.items.append((state, action, reward, next_state, terminal))

    def sample(self, n):
        state, action, reward, next_state, terminal = zip(*random.sample(self.items, n))
        return (
            torch.from_numpy(np.stack(state)),
            torch.tensor(action),
            torch.tensor(reward, dtype=torch.float32),
            torch.from_numpy(np.stack(next_state)),
            torch.tensor(terminal, dtype=torch.float32),
        )
