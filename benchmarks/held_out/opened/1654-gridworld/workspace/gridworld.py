import numpy as np

MOVES = np.array([[0, 1], [0, -1], [1, 0], [-1, 0]], dtype=np.float32)


class GridWorld:
    """Walk from a random cell to the goal in the corner; walls are the borders of the grid."""

    n_actions = 4
    obs_dim = 2

    def __init__(self, size=5, max_steps=30, seed=0):
        self.size = size
        self.max_steps = max_steps
        self.rng = np.random.default_rng(seed)
        self.goal = np.array([size - 1, size - 1], dtype=np.float32)
        self.pos = np.zeros(2, dtype=np.float32)
        self.t = 0

    def reset(self):
        while True:
            self.pos = self.rng.integers(0, self.size, 2).astype(np.float32)
            if not np.array_equal(self.pos, self.goal):
                break
        self.t = 0
        return self.pos

    def step(self, action):
        self.pos += MOVES[action]
        np.clip(self.pos, 0, self.size - 1, out=self.pos)
        self.t += 1
        reached = bool(np.array_equal(self.pos, self.goal))
        reward = 1.0 if reached else -0.05
        truncated = self.t >= self.max_steps
        return self.pos, reward, reached, truncated
