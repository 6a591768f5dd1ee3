import numpy as np

MOVES = np.array([[0, 1], [1, 0], [0, -1], [-1, 0]], dtype=np.float32)


class Warehouse:
    """A cart on a square floor that has to reach the loading dock."""

    n_actions = len(MOVES)
    obs_dim = 2

    def __init__(self, size=5, max_steps=40, seed=0):
        self.size = size
        self.max_steps = max_steps
        self.dock = np.array([size - 1, size - 1], dtype=np.float32)
        self.rng = np.random.default_rng(seed)

    def reset(self):
        self.steps = 0
        self.cart = self.rng.integers(0, self.size, 2).astype(np.float32)
        while (self.cart == self.dock).all():
            self.cart = self.rng.integers(0, self.size, 2).astype(np.float32)
        return self.cart

    def step(self, action):
        self.steps += 1
        self.cart += MOVES[action]
        np.clip(self.cart, 0, self.size - 1, out=self.cart)
        reached = bool((self.cart == self.dock).all())
        reward = 1.0 if reached else -0.05
        truncated = self.steps >= self.max_steps
        return self.cart, reward, reached, truncated
