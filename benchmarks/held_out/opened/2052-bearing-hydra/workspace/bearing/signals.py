"""Simulated vibration windows for a ball bearing test rig."""
import numpy as np
import torch
from torch.utils.data import TensorDataset

RESONANCE = {"inner_race": 900.0, "outer_race": 1300.0, "ball": 600.0}
PASS_FREQ = {"inner_race": 157.0, "outer_race": 104.0, "ball": 68.0}


def window(fault, n, sr, snr_db, rng):
    t = np.arange(n) / sr
    x = 0.5 * np.sin(2 * np.pi * 29.5 * t + rng.uniform(0, 6.28))
    if fault != "healthy":
        for t0 in np.arange(rng.uniform(0, 1 / PASS_FREQ[fault]), t[-1], 1 / PASS_FREQ[fault]):
            tau = np.clip(t - t0, 0, None)
            x += (tau > 0) * np.exp(-350 * tau) * np.sin(2 * np.pi * RESONANCE[fault] * tau)
    noise = rng.standard_normal(n) * x.std() * 10 ** (-snr_db / 20)
    return (x + noise).astype(np.float32)


def make_set(cfg, n, seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, len(cfg.fault_types), n)
    x = np.stack([window(cfg.fault_types[int(k)], cfg.window, cfg.sample_rate, cfg.snr_db, rng) for k in y])
    return TensorDataset(torch.from_numpy(x), torch.from_numpy(y))
