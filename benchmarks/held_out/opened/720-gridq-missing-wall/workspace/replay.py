import random
from collections import deque, namedtuple

import numpy as np
import torch

Transition = namedtuple("Transition", "obs action reward next_obs done")


class ReplayBuffer:
    def __init__(self, capacity):
        self.buf = deque(maxlen=capacity)

    def __len__(self):
        return len(self.buf)

    def push(self, *args):
        self.buf.append(Transition(*args))

    def sample(self, n):
        batch = Transition(*zip(*random.sample(self.buf, n)))
        obs = torch.from_numpy(np.stack(batch.obs))
        next_obs = torch.from_numpy(np.stack(batch.next_obs))
        action = torch.tensor(batch.action).unsqueeze(1)
        reward = torch.tensor(batch.reward)
        done = torch.tensor(batch.done).float()
        return obs, action, reward, next_obs, done
