import numpy as np

MOVES = {0: (-1, 0), 1: (1, 0), 2: (0, -1), 3: (0, 1)}


class WarehouseEnv:
    """A robot (R) has to bring an item from the shelf (S) to the gate (G).

    The robot sees the four neighbouring cells, whether it carries the item,
    and its own normalised position.
    """

    n_actions = 4
    obs_size = 7

    def __init__(self, map_file, max_steps=60, seed=0):
        with open(map_file) as f:
            self.grid = f.read().strip().split("\n")
        self.height = len(self.grid)
        self.width = len(self.grid[0])
        self.start, self.shelf, self.gate = (self._locate(c) for c in "RSG")
        self.max_steps = max_steps
        self.rng = np.random.default_rng(seed)

    def _locate(self, mark):
        for y, line in enumerate(self.grid):
            if mark in line:
                return y, line.index(mark)
        raise ValueError(f"no {mark} on the map")

    def _wall(self, y, x):
        return self.grid[y][x] == "#"

    def _obs(self):
        y, x = self.pos
        walls = [float(self._wall(y + dy, x + dx)) for dy, dx in MOVES.values()]
        return np.array(walls + [float(self.loaded), y / self.height, x / self.width], dtype=np.float32)

    def reset(self):
        self.pos = self.start
        self.loaded = False
        self.t = 0
        return self._obs(), {"shelf": self.shelf, "gate": self.gate}

    def step(self, action):
        self.t += 1
        if self.rng.random() < 0.05:
            action = int(self.rng.integers(4))
        dy, dx = MOVES[action]
        y, x = self.pos[0] + dy, self.pos[1] + dx
        reward = -0.02
        if self._wall(y, x):
            reward -= 0.05
        else:
            self.pos = (y, x)
        if self.pos == self.shelf and not self.loaded:
            self.loaded = True
            reward += 1.0
        terminated = self.loaded and self.pos == self.gate
        if terminated:
            reward += 1.0
        truncated = self.t >= self.max_steps
        return self._obs(), reward, terminated, truncated, {}
