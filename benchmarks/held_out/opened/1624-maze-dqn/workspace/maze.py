import numpy as np

MOVES = np.array([(-1, 0), (1, 0), (0, -1), (0, 1)])

LAYOUT = [
    "S..#..",
    ".#.#.#",
    ".#....",
    "...##.",
    ".#....",
    ".#.#.G",
]


class MazeEnv:
    """Grid maze. Observation: two planes, the agent and the walls, flattened."""

    def __init__(self, layout=LAYOUT, max_steps=40):
        cells = np.array([list(row) for row in layout])
        self.walls = cells == "#"
        self.start = np.argwhere(cells == "S")[0]
        self.goal = np.argwhere(cells == "G")[0]
        self.shape = cells.shape
        self.max_steps = max_steps
        self.planes = np.zeros((2, *self.shape), dtype=np.float32)
        self.planes[1] = self.walls

    @property
    def obs_dim(self):
        return self.planes.size

    @property
    def num_actions(self):
        return len(MOVES)

    def _observe(self):
        self.planes[0] = 0.0
        self.planes[0][tuple(self.pos)] = 1.0
        return self.planes.reshape(-1)

    def reset(self, rng=None):
        self.t = 0
        self.pos = self.start
        if rng is not None:
            free = np.argwhere(~self.walls)
            self.pos = free[rng.integers(len(free))]
        return self._observe()

    def step(self, action):
        self.t += 1
        target = self.pos + MOVES[action]
        inside = (target >= 0).all() and (target < self.shape).all()
        if inside and not self.walls[tuple(target)]:
            self.pos = target
        reached = bool((self.pos == self.goal).all())
        reward = 1.0 if reached else -0.02
        truncated = self.t >= self.max_steps
        return self._observe(), reward, reached, truncated
