"""Simulated single-lead beats (no patient data in this repo). Label 1 = PVC-like wide beat."""
import numpy as np
import torch
from torch.utils.data import Dataset


def _bump(t, mu, sigma, a):
    return a * np.exp(-0.5 * ((t - mu) / sigma) ** 2)


def make_beat(rng, n, fs, pvc):
    t = (np.arange(n) - n // 2) / fs
    w = rng.normal(1.0, 0.3)
    if pvc:
        x = _bump(t, 0, 0.03 * w, 1.3) - _bump(t, 0.16, 0.06, 0.5)
    else:
        x = _bump(t, -0.16, 0.025, 0.15) + _bump(t, 0, 0.012 * w, 1.0)
        x = x - _bump(t, 0.03, 0.01, 0.25) + _bump(t, 0.25, 0.05, 0.3)
    drift = 0.15 * np.sin(2 * np.pi * rng.uniform(0.1, 0.4) * t + rng.uniform(0, 6))
    return x + drift + rng.normal(0, 0.12, n)


class Beats(Dataset):
    def __init__(self, cfg, records):
        xs, ys = [], []
        for rec in records:
            rng = np.random.default_rng(1000 + rec)
            for _ in range(cfg["beats_per_record"]):
                pvc = rng.random() < 0.3
                b = make_beat(rng, cfg["beat_len"], cfg["fs"], pvc)
                # saturated beats are thrown away as in the paper
                if np.abs(b).max() > 1.5:
                    continue
                xs.append((b - b.mean()) / b.std())
                ys.append(float(pvc))
        self.x = torch.tensor(np.stack(xs), dtype=torch.float32).unsqueeze(1)
        self.y = torch.tensor(ys)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i], self.y[i]
