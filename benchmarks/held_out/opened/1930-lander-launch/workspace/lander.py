"""One-dimensional lander: only the height is seen, the speed has to be inferred from the history."""
import numpy as np

THRUST = np.array([0.0, 1.0, 2.2])


class Lander:
    def __init__(self, n, history, wind=0.0, seed=0):
        self.n, self.history, self.wind = n, history, wind
        self.rng = np.random.default_rng(seed)
        self.h = np.zeros(n)
        self.v = np.zeros(n)
        self.t = np.zeros(n, dtype=int)
        self.hist = np.zeros((n, history), dtype=np.float32)
        self._new(np.ones(n, dtype=bool))

    def _new(self, mask):
        k = int(mask.sum())
        self.h[mask] = self.rng.uniform(4, 6, k)
        self.v[mask] = self.rng.uniform(-1, 0, k)
        self.t[mask] = 0
        self.hist[mask] = (self.h[mask] / 5)[:, None]

    def observe(self):
        return self.hist.copy()

    def step(self, a):
        dt = 0.25
        gust = self.wind * self.rng.standard_normal(self.n)
        self.v += dt * (THRUST[a] - 1.0 + gust)
        self.h += dt * self.v
        self.t += 1
        landed = self.h <= 0
        late = self.t >= 60
        r = np.where(landed, 2.0 - 1.5 * np.abs(self.v), -0.02) - np.where(late & ~landed, 2.0, 0.0)
        done = landed | late
        soft = landed & (np.abs(self.v) < 0.7)
        self.hist = np.roll(self.hist, -1, axis=1)
        self.hist[:, -1] = self.h / 5
        self._new(done)
        return self.observe(), r.astype(np.float32), done, soft
