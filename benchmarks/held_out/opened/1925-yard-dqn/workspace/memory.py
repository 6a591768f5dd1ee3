import numpy as np
import torch


class Memory:
    def __init__(self, capacity, obs_dim):
        self.cap = capacity
        self.s = np.zeros((capacity, obs_dim), dtype=np.float32)
        self.s2 = np.zeros((capacity, obs_dim), dtype=np.float32)
        self.a = np.zeros(capacity, dtype=np.int64)
        self.r = np.zeros(capacity, dtype=np.float32)
        self.d = np.zeros(capacity, dtype=np.float32)
        self.i = 0
        self.n = 0

    def push(self, s, a, r, s2, d):
        k = self.i
        self.s[k], self.a[k], self.r[k], self.s2[k], self.d[k] = s, a, r, s2, d
        self.i = (k + 1) % self.cap
        self.n = min(self.n + 1, self.cap)

    def draw(self, size, rng):
        k = rng.integers(0, self.n, size)
        return [torch.from_numpy(x[k]) for x in (self.s, self.a, self.r, self.s2, self.d)]
