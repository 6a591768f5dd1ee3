"""Two toy control tasks with the gym-like reset/step interface."""
import numpy as np


class PointMass:
    obs_dim, n_actions = 4, 4

    def __init__(self, seed=0, horizon=25):
        self.rng = np.random.default_rng(seed)
        self.horizon = horizon

    def _obs(self):
        return np.concatenate([self.pos, self.goal]).astype(np.float32)

    def reset(self):
        self.t = 0
        self.pos, self.goal = self.rng.uniform(-1, 1, (2, 2))
        return self._obs()

    def step(self, a):
        self.t += 1
        delta = np.array([[0.2, 0], [-0.2, 0], [0, 0.2], [0, -0.2]])[a]
        self.pos = np.clip(self.pos + delta, -1.5, 1.5)
        dist = np.linalg.norm(self.pos - self.goal)
        done = dist < 0.2 or self.t >= self.horizon
        return self._obs(), -float(dist), done


class Thermostat:
    obs_dim, n_actions = 3, 2

    def __init__(self, seed=0, horizon=25):
        self.rng = np.random.default_rng(seed)
        self.horizon = horizon

    def _obs(self):
        return np.array([self.temp, self.target, self.outside], dtype=np.float32)

    def reset(self):
        self.t = 0
        self.temp, self.target, self.outside = self.rng.uniform(-1, 1, 3)
        return self._obs()

    def step(self, a):
        self.t += 1
        self.temp += 0.15 * a + 0.1 * (self.outside - self.temp)
        return self._obs(), -abs(float(self.temp - self.target)), self.t >= self.horizon
