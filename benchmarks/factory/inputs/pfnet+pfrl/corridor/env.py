import gym
import numpy as np
from gym import spaces


class Corridor(gym.Env):
    """Walk to the right end of a corridor with slippery floor; -1 or +1 a step of luck."""

    def __init__(self, length=8, slip=0.1, max_steps=30, seed=0):
        self.length = length
        self.slip = slip
        self.max_steps = max_steps
        self.rng = np.random.RandomState(seed)
        self.observation_space = spaces.Box(-1, 1, shape=(3,), dtype=np.float32)
        self.action_space = spaces.Discrete(2)

    def _observe(self):
        share = self.position / (self.length - 1)
        return np.array([share, 1 - share, self.steps / self.max_steps], dtype=np.float32)

    def reset(self):
        self.position = 1
        self.steps = 0
        return self._observe()

    def step(self, action):
        move = 1 if action == 1 else -1
        if self.rng.rand() < self.slip:
            move = -move
        self.position = int(np.clip(self.position + move, 0, self.length - 1))
        self.steps += 1
        done = self.position == self.length - 1
        reward = 1.0 if done else -0.05
        return self._observe(), reward, done or self.steps >= self.max_steps, {}
