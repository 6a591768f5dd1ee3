import random
from collections import deque, namedtuple

import numpy as np
import torch

Transition = namedtuple("Transition", "obs action reward next_obs done")


class ReplayBuffer:
    def __init__(self, capacity):
        self.memory = deque(maxlen=capacity)

    def push(self, *args):
        self.memory.append(Transition(*args))

    def __len__(self):
        return len(self.memory)

    def sample(self, batch_size):
        batch = Transition(*zip(*random.sample(self.memory, batch_size)))
        obs = torch.as_tensor(np.stack(batch.obs), dtype=torch.float32)
        action = torch.tensor(batch.action, dtype=torch.int64).unsqueeze(1)
        reward = torch.tensor(batch.reward, dtype=torch.float32).unsqueeze(1)
        next_obs = torch.as_tensor(np.stack(batch.next_obs), dtype=torch.float32)
        done = torch.tensor(batch.done, dtype=torch.float32).unsqueeze(1)
        return obs, action, reward, next_obs, done
