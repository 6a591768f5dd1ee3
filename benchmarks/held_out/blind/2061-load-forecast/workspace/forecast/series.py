"""Hourly electricity load, synthetic: daily + weekly season and noise."""
import numpy as np


def hourly_load(n_hours, seed=0):
    rng = np.random.default_rng(seed)
    t = np.arange(n_hours)
    daily = np.sin(2 * np.pi * (t % 24) / 24 - 1.2)
    weekly = np.where((t // 24) % 7 >= 5, -0.6, 0.2)
    ar = np.zeros(n_hours)
    for i in range(1, n_hours):
        ar[i] = 0.8 * ar[i - 1] + 0.1 * rng.standard_normal()
    return (50 + 12 * daily + 6 * weekly + 4 * ar).astype(np.float32)


def calendar(n_hours):
    t = np.arange(n_hours)
    hod = 2 * np.pi * (t % 24) / 24
    return np.stack([np.sin(hod), np.cos(hod), ((t // 24) % 7 >= 5).astype(float)], 1).astype(np.float32)
