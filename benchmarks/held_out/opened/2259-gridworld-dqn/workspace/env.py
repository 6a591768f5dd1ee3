import numpy as np


class GridWorld:
    """5x5 room with one pit. Actions: 0 up, 1 right, 2 down, 3 left."""

    MOVES = ((-1, 0), (0, 1), (1, 0), (0, -1))

    def __init__(self, size=5, max_steps=40, seed=0):
        self.size = size
        self.max_steps = max_steps
        self.rng = np.random.default_rng(seed)
        self.goal = (size - 1, size - 1)
        self.pit = (size // 2, size // 2)

    @property
    def n_actions(self):
        return len(self.MOVES)

    @property
    def obs_dim(self):
        return 2 * self.size

    def _obs(self):
        out = np.zeros(self.obs_dim, dtype=np.float32)
        out[self.pos[0]] = 1.0
        out[self.size + self.pos[1]] = 1.0
        return out

    def reset(self):
        self.steps = 0
        self.pos = (0, int(self.rng.integers(self.size)))
        return self._obs()

    def step(self, action):
        dr, dc = self.MOVES[action]
        r = min(max(self.pos[0] + dr, 0), self.size - 1)
        c = min(max(self.pos[1] + dc, 0), self.size - 1)
        self.pos = (r, c)
        self.steps += 1
        if self.pos == self.goal:
            return self._obs(), 1.0, True
        if self.pos == self.pit:
            return self._obs(), -1.0, True
        return self._obs(), -0.02, self.steps >= self.max_steps
