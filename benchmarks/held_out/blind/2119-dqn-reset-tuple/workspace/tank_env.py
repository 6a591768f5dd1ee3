"""Two coupled water tanks; the valve has to hold the level of the second one."""
import gymnasium as gym
import numpy as np
from gymnasium import spaces


class TankEnv(gym.Env):
    metadata = {"render_modes": []}

    def __init__(self, target=0.6, max_steps=60):
        self.target = target
        self.max_steps = max_steps
        self.observation_space = spaces.Box(-1.0, 2.0, shape=(4,), dtype=np.float32)
        self.action_space = spaces.Discrete(3)
        self.flows = (0.0, 0.03, 0.06)

    def _obs(self):
        return np.array([self.h1, self.h2, self.target - self.h2, self.t / self.max_steps], dtype=np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.h1, self.h2 = self.np_random.uniform(0.1, 0.4, 2)
        self.t = 0
        return self._obs(), {}

    def step(self, action):
        q12 = 0.08 * np.sqrt(max(self.h1, 0.0))
        q2 = 0.05 * np.sqrt(max(self.h2, 0.0))
        self.h1 = max(self.h1 + self.flows[action] - q12, 0.0)
        self.h2 = max(self.h2 + q12 - q2, 0.0)
        self.t += 1
        reward = -abs(self.target - self.h2)
        overflow = self.h1 > 1.5 or self.h2 > 1.5
        return self._obs(), reward - 5.0 * overflow, bool(overflow), self.t >= self.max_steps, {}
