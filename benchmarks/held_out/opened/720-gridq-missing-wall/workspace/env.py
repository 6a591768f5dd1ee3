import numpy as np

WALL, FREE, GOAL = "#", ".", "G"


class GridWorld:
    """Small maze; observation = one-hot position, actions up/down/left/right."""

    MOVES = [(-1, 0), (1, 0), (0, -1), (0, 1)]

    def __init__(self, map_file, max_steps=30):
        with open(map_file) as f:
            self.grid = [list(line.strip()) for line in f if line.strip()]
        self.h, self.w = len(self.grid), len(self.grid[0])
        self.max_steps = max_steps
        self.rng = np.random.default_rng(0)

    @property
    def n_obs(self):
        return self.h * self.w

    @property
    def n_actions(self):
        return len(self.MOVES)

    def _obs(self):
        v = np.zeros(self.h * self.w, dtype=np.float32)
        v[self.pos[0] * self.w + self.pos[1]] = 1.0
        return v

    def reset(self):
        free = [(r, c) for r in range(self.h) for c in range(self.w) if self.grid[r][c] == FREE]
        self.pos = free[self.rng.integers(len(free))]
        self.t = 0
        return self._obs()

    def step(self, action):
        dr, dc = self.MOVES[action]
        r, c = self.pos[0] + dr, self.pos[1] + dc
        if self.grid[r][c] != WALL:
            self.pos = (r, c)
        self.t += 1
        done = self.grid[self.pos[0]][self.pos[1]] == GOAL
        reward = 1.0 if done else -0.02
        return self._obs(), reward, done, self.t >= self.max_steps
