"""Torque-driven pendulum; state = (cos th, sin th, omega)."""
import numpy as np

G, LENGTH, MASS = 9.81, 1.0, 1.0


def _observe(theta, omega):
    return np.stack([np.cos(theta), np.sin(theta), omega], axis=-1)


def simulate(dt, steps, rollouts, noise, seed=0):
    rng = np.random.default_rng(seed)
    theta = rng.uniform(-np.pi, np.pi, rollouts)
    omega = rng.uniform(-2, 2, rollouts)
    states, actions, nexts = [], [], []
    for _ in range(steps):
        torque = rng.uniform(-2, 2, rollouts)
        s = _observe(theta, omega)
        acc = -3 * G / (2 * LENGTH) * np.sin(theta + np.pi) + 3.0 / (MASS * LENGTH**2) * torque
        omega = np.clip(omega + acc * dt, -8, 8)
        theta = theta + omega * dt
        states.append(s + noise * rng.normal(size=s.shape))
        actions.append(torque[:, None])
        nexts.append(_observe(theta, omega))
    join = lambda parts: np.concatenate(parts).astype("float32")
    return join(states), join(actions), join(nexts)
