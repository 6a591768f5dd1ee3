import json

import numpy as np

MOVES = [(-1, 0), (0, 1), (1, 0), (0, -1)]


class GridWorld:
    n_actions = len(MOVES)

    def __init__(self, name, path="maps.json", max_steps=60):
        with open(path) as f:
            rows = json.load(f)[name]
        self.cells = np.array([list(r) for r in rows])
        self.start = tuple(np.argwhere(self.cells == "S")[0])
        self.goal = tuple(np.argwhere(self.cells == "G")[0])
        self.max_steps = max_steps
        self.obs_dim = 2 * self.cells.shape[0] + 2

    def _obs(self):
        size = self.cells.shape[0]
        v = np.zeros(self.obs_dim, dtype=np.float32)
        v[self.pos[0]] = 1
        v[size + self.pos[1]] = 1
        v[-2:] = (np.array(self.goal) - self.pos) / size
        return v

    def reset(self):
        self.pos, self.t = self.start, 0
        return self._obs()

    def step(self, action):
        r, c = self.pos[0] + MOVES[action][0], self.pos[1] + MOVES[action][1]
        n, m = self.cells.shape
        if 0 <= r < n and 0 <= c < m and self.cells[r, c] != "#":
            self.pos = (r, c)
        self.t += 1
        reached = self.pos == self.goal
        reward = 1.0 if reached else -0.02
        return self._obs(), reward, reached, self.t >= self.max_steps
