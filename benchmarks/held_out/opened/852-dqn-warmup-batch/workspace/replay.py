import random
from collections import deque, namedtuple

import numpy as np
import torch

Transition = namedtuple("Transition", "state action reward next_state done")


class ReplayBuffer:
    def __init__(self, capacity):
        self.buf = deque(maxlen=capacity)

    def push(self, *args):
        self.buf.append(Transition(*args))

    def __len__(self):
        return len(self.buf)

    def sample(self, n):
        batch = Transition(*zip(*random.sample(self.buf, n)))
        return (
            torch.tensor(np.stack(batch.state)),
            torch.tensor(batch.action).unsqueeze(1),
            torch.tensor(batch.reward, dtype=torch.float32),
            torch.tensor(np.stack(batch.next_state)),
            torch.tensor(batch.done, dtype=torch.float32),
        )
