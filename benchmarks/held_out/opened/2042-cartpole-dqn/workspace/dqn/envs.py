"""Tiny re-implementation of the classic control cart-pole (no gym dependency)."""
import math

import numpy as np


class CartPoleLite:
    gravity = 9.8
    masscart = 1.0
    masspole = 0.1
    length = 0.5
    force_mag = 10.0
    dt = 0.02
    theta_limit = 12 * 2 * math.pi / 360
    x_limit = 2.4

    obs_dim = 4
    n_actions = 2

    def __init__(self, max_steps=200, reward_scale=1.0, seed=None):
        self.max_steps = max_steps
        self.reward_scale = reward_scale
        self.rng = np.random.default_rng(seed)
        self.state = None
        self.t = 0

    def reset(self):
        self.state = self.rng.uniform(-0.05, 0.05, size=4)
        self.t = 0
        return self.state.astype(np.float32)

    def step(self, action):
        x, x_dot, th, th_dot = self.state
        force = self.force_mag if action == 1 else -self.force_mag
        total = self.masscart + self.masspole
        pml = self.masspole * self.length
        tmp = (force + pml * th_dot ** 2 * math.sin(th)) / total
        th_acc = (self.gravity * math.sin(th) - math.cos(th) * tmp) / (
            self.length * (4.0 / 3.0 - self.masspole * math.cos(th) ** 2 / total)
        )
        x_acc = tmp - pml * th_acc * math.cos(th) / total
        x += self.dt * x_dot
        x_dot += self.dt * x_acc
        th += self.dt * th_dot
        th_dot += self.dt * th_acc
        self.state = np.array([x, x_dot, th, th_dot])
        self.t += 1
        terminated = bool(abs(x) > self.x_limit or abs(th) > self.theta_limit)
        truncated = self.t >= self.max_steps
        return self.state.astype(np.float32), self.reward_scale, terminated, truncated


ENVS = {"CartPoleLite": CartPoleLite}


def make_env(cfg, seed=None):
    kwargs = dict(cfg)
    name = kwargs.pop("name")
    return ENVS[name](seed=seed, **kwargs)
