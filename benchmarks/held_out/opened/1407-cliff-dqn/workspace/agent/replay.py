import numpy as np
import torch


class ReplayBuffer:
    """Ring buffer in preallocated numpy arrays."""

    def __init__(self, capacity, obs_dim, seed=0):
        self.obs = np.zeros((capacity, obs_dim), dtype=np.float32)
        self.nxt = np.zeros((capacity, obs_dim), dtype=np.float32)
        self.act = np.zeros(capacity, dtype=np.float32)
        self.rew = np.zeros(capacity, dtype=np.float32)
        self.done = np.zeros(capacity, dtype=np.float32)
        self.capacity, self.ptr, self.full = capacity, 0, False
        self.rng = np.random.default_rng(seed)

    def __len__(self):
        return self.capacity if self.full else self.ptr

    def push(self, o, a, r, o2, d):
        i = self.ptr
        self.obs[i], self.act[i], self.rew[i], self.nxt[i], self.done[i] = o, a, r, o2, d
        self.ptr = (i + 1) % self.capacity
        self.full |= self.ptr == 0

    def sample(self, n):
        idx = self.rng.integers(0, len(self), size=n)
        return {k: torch.from_numpy(getattr(self, k)[idx])
                for k in ("obs", "act", "rew", "nxt", "done")}
