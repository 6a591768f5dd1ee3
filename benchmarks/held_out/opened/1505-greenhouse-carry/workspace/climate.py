"""A vectorised toy greenhouse: keep temperature and humidity near the set points, cheaply."""
import numpy as np

ACTIONS = ("idle", "heat", "vent", "mist", "screen")


class Greenhouse:
    obs_size = 5
    n_actions = len(ACTIONS)

    def __init__(self, bays, day_steps=48, seed=0):
        self.bays = bays
        self.day_steps = day_steps
        self.rng = np.random.default_rng(seed)
        self.reset()

    def reset(self):
        self.t = self.rng.integers(0, self.day_steps, self.bays)
        self.age = np.zeros(self.bays, dtype=int)
        self.temp = self.rng.normal(19, 3, self.bays)
        self.hum = self.rng.normal(65, 8, self.bays)
        return self.observe()

    def observe(self):
        ph = 2 * np.pi * self.t / self.day_steps
        o = np.stack([(self.temp - 21) / 5, (self.hum - 70) / 15, np.sin(ph), np.cos(ph), self.age / 96], 1)
        return o.astype(np.float32)

    def step(self, action):
        ph = 2 * np.pi * self.t / self.day_steps
        outside = 12 + 8 * np.sin(ph) + self.rng.normal(0, 0.5, self.bays)
        self.temp += 0.08 * (outside - self.temp) + 0.9 * np.maximum(np.sin(ph), 0)
        self.hum += 0.05 * (60 - self.hum) + self.rng.normal(0, 0.8, self.bays)
        self.temp += np.select([action == 1, action == 2, action == 4], [1.6, -1.2, -0.6], 0.0)
        self.hum += np.select([action == 2, action == 3], [-2.5, 4.0], 0.0)
        cost = np.array([0.0, 0.25, 0.05, 0.1, 0.02])[action]
        reward = -np.abs(self.temp - 21) / 5 - np.abs(self.hum - 70) / 30 - cost
        self.t = (self.t + 1) % self.day_steps
        self.age += 1
        done = self.age >= 96
        if done.any():
            k = int(done.sum())
            self.age[done] = 0
            self.temp[done] = self.rng.normal(19, 3, k)
            self.hum[done] = self.rng.normal(65, 8, k)
        return self.observe(), reward.astype(np.float32), done
