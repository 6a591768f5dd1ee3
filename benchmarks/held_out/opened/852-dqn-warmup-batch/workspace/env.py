import numpy as np


class GridWorld:
    """agent walks from the top left corner to a goal; state = (row, col, goal_row, goal_col)"""

    MOVES = [(-1, 0), (0, 1), (1, 0), (0, -1)]

    def __init__(self, size=5, max_steps=50, n_walls=0, seed=0):
        self.size, self.max_steps = size, max_steps
        self.rng = np.random.default_rng(seed)
        cells = [(r, c) for r in range(size) for c in range(size)][1:-1]
        pick = self.rng.choice(len(cells), n_walls, replace=False)
        self.walls = {cells[i] for i in pick}
        self.goal = (size - 1, size - 1)

    def _obs(self):
        return np.array([*self.pos, *self.goal], dtype=np.float32) / self.size

    def reset(self):
        self.pos, self.t = (0, 0), 0
        return self._obs()

    def step(self, action):
        dr, dc = self.MOVES[action]
        r = min(max(self.pos[0] + dr, 0), self.size - 1)
        c = min(max(self.pos[1] + dc, 0), self.size - 1)
        if (r, c) not in self.walls:
            self.pos = (r, c)
        self.t += 1
        done = self.pos == self.goal
        truncated = self.t >= self.max_steps
        reward = 1.0 if done else -0.02
        return self._obs(), reward, done, truncated
