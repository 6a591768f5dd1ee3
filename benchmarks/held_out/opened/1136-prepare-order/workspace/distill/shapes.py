"""Motion clips: a dot that moves over a strip, the class is the way it moves."""
import numpy as np
import torch
from torch.utils.data import DataLoader, TensorDataset

MOTIONS = ("left", "right", "bounce", "still", "jump")


def clip(kind, rng, frames=10, width=16):
    pos = rng.uniform(4, 11)
    speed = rng.uniform(0.7, 1.4)
    out = np.zeros((frames, width), np.float32)
    for t in range(frames):
        p = {
            "left": pos - speed * t,
            "right": pos + speed * t,
            "bounce": 7.5 + 5 * np.sin(speed * t),
            "still": pos,
            "jump": rng.uniform(0, width),
        }[MOTIONS[kind]]
        out[t] = np.exp(-0.5 * (np.arange(width) - p % width) ** 2)
    return out


def make_loaders(samples, noise, seed, batch_size):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, len(MOTIONS), samples)
    x = np.stack([clip(k, rng) for k in y])
    x += rng.normal(0, noise, x.shape)
    x, y = torch.from_numpy(x).float()[:, None], torch.from_numpy(y)
    cut = int(0.8 * samples)
    gen = torch.Generator().manual_seed(seed)
    train = DataLoader(TensorDataset(x[:cut], y[:cut]), batch_size, shuffle=True, generator=gen)
    test = DataLoader(TensorDataset(x[cut:], y[cut:]), 2 * batch_size)
    return train, test
