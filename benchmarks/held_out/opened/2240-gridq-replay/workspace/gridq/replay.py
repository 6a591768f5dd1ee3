import numpy as np
import torch


class ReplayBuffer:
    """Ring buffer of transitions kept in flat numpy arrays."""

    def __init__(self, capacity, obs_dim, seed=0):
        self.capacity = capacity
        self.obs = np.zeros((capacity, obs_dim), dtype=np.float32)
        self.next_obs = np.zeros((capacity, obs_dim), dtype=np.float32)
        self.actions = np.zeros(capacity, dtype=np.float32)
        self.rewards = np.zeros(capacity, dtype=np.float32)
        self.dones = np.zeros(capacity, dtype=np.float32)
        self.rng = np.random.default_rng(seed)
        self.n = 0

    def __len__(self):
        return min(self.n, self.capacity)

    def add(self, obs, action, reward, next_obs, done):
        i = self.n % self.capacity
        self.obs[i], self.next_obs[i] = obs, next_obs
        self.actions[i], self.rewards[i], self.dones[i] = action, reward, done
        self.n += 1

    def sample(self, size):
        idx = self.rng.integers(len(self), size=size)
        fields = (self.obs, self.actions, self.rewards, self.next_obs, self.dones)
        return tuple(torch.from_numpy(a[idx]) for a in fields)
