import random

LAYOUT = [
    "S..#....",
    "..#...#.",
    "....#...",
    ".#....#.",
    "...#...G",
]
MOVES = {0: (-1, 0), 1: (0, 1), 2: (1, 0), 3: (0, -1)}


class Warehouse:
    """Grid with shelves; the robot goes from S to G."""

    n_actions = len(MOVES)

    def __init__(self, limit=60, slip=0.05, seed=0):
        self.rows, self.cols = len(LAYOUT), len(LAYOUT[0])
        self.goal = next((r, c) for r, row in enumerate(LAYOUT) for c, ch in enumerate(row) if ch == "G")
        self.limit, self.slip = limit, slip
        self.rng = random.Random(seed)

    @property
    def n_obs(self):
        return self.rows + self.cols + 4

    def _free(self, r, c):
        return 0 <= r < self.rows and 0 <= c < self.cols and LAYOUT[r][c] != "#"

    def _obs(self):
        r, c = self.pos
        o = [0.0] * self.n_obs
        o[r] = o[self.rows + c] = 1.0
        for k, (dr, dc) in MOVES.items():
            o[self.rows + self.cols + k] = float(self._free(r + dr, c + dc))
        return o

    def reset(self):
        self.pos, self.t = (0, 0), 0
        return self._obs()

    def step(self, action):
        """A blocked move or a wait leaves the robot in place and costs the same."""
        self.t += 1
        if self.rng.random() < self.slip:
            action = self.rng.choice(list(MOVES))
        dr, dc = MOVES.get(action, (0, 0))
        r, c = self.pos[0] + dr, self.pos[1] + dc
        if self._free(r, c):
            self.pos = (r, c)
        done = self.pos == self.goal
        return self._obs(), (1.0 if done else -0.02), done, self.t >= self.limit
