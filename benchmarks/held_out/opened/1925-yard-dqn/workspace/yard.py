"""Forklift in a small yard: fetch the pallet, bring it to the ramp."""
import numpy as np

MOVES = [(-1, 0), (1, 0), (0, -1), (0, 1)]


class Yard:
    size = 4
    max_steps = 30

    def __init__(self, seed=0):
        self.rng = np.random.default_rng(seed)
        n = self.size
        self.n_actions = len(MOVES)
        self.obs_dim = 3 * n * n + 1
        self._obs = np.zeros(self.obs_dim, dtype=np.float32)

    def reset(self):
        n = self.size
        cells = self.rng.permutation(n * n - 1)[:2]
        self.truck, self.pallet = [divmod(int(c), n) for c in cells]
        self.ramp = (n - 1, n - 1)
        self.loaded = False
        self.t = 0
        return self._observe()

    def _observe(self):
        n = self.size
        self._obs.fill(0.0)
        for plane, (r, c) in enumerate((self.truck, self.pallet, self.ramp)):
            self._obs[plane * n * n + r * n + c] = 1.0
        self._obs[-1] = float(self.loaded)
        return self._obs

    def step(self, action):
        dr, dc = MOVES[action]
        r = min(max(self.truck[0] + dr, 0), self.size - 1)
        c = min(max(self.truck[1] + dc, 0), self.size - 1)
        self.truck = (r, c)
        self.t += 1
        reward, done = -0.02, False
        if not self.loaded and self.truck == self.pallet:
            self.loaded = True
            reward += 0.5
        if self.loaded:
            self.pallet = self.truck
            if self.truck == self.ramp:
                reward, done = reward + 1.0, True
        if self.t >= self.max_steps:
            done = True
        return self._observe(), reward, done
