import numpy as np


class CliffWalk:
    """4 x 8 grid; walk from lower-left to lower-right without stepping off the cliff."""

    ROWS, COLS = 4, 8
    MOVES = ((-1, 0), (0, 1), (1, 0), (0, -1))
    n_actions = 4
    obs_dim = 4

    def __init__(self, max_steps=40, seed=None):
        self.max_steps = max_steps
        self.rng = np.random.default_rng(seed)

    def _obs(self):
        r, c = self.pos
        return np.array([r / (self.ROWS - 1), c / (self.COLS - 1),
                         float(r == self.ROWS - 2), self.t / self.max_steps], dtype=np.float32)

    def reset(self):
        self.pos, self.t = (self.ROWS - 1, 0), 0
        return self._obs()

    def step(self, action):
        dr, dc = self.MOVES[action]
        r = int(np.clip(self.pos[0] + dr, 0, self.ROWS - 1))
        c = int(np.clip(self.pos[1] + dc, 0, self.COLS - 1))
        self.pos, self.t = (r, c), self.t + 1
        on_bottom = r == self.ROWS - 1
        if on_bottom and c == self.COLS - 1:
            return self._obs(), 5.0, True
        if on_bottom and 0 < c < self.COLS - 1:
            return self._obs(), -3.0, True
        return self._obs(), -0.05, self.t >= self.max_steps
