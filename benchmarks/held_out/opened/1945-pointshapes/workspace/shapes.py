import numpy as np
import torch
from torch.utils.data import TensorDataset

NAMES = ["sphere", "cube", "cylinder", "torus", "cone"]


def sample(name, n, rng):
    u, v = rng.uniform(0, 2 * np.pi, n), rng.uniform(-1, 1, n)
    if name == "sphere":
        p = rng.normal(size=(n, 3))
        return p / np.linalg.norm(p, axis=1, keepdims=True)
    if name == "cube":
        p = rng.uniform(-1, 1, (n, 3))
        p[np.arange(n), rng.integers(0, 3, n)] = rng.choice([-1, 1], n)
        return p
    if name == "cylinder":
        return np.stack([np.cos(u), np.sin(u), v], 1)
    if name == "torus":
        w = v * np.pi
        r = 0.75 + 0.25 * np.cos(w)
        return np.stack([r * np.cos(u), r * np.sin(u), 0.25 * np.sin(w)], 1)
    r = np.sqrt((1 - v) / 2)
    return np.stack([r * np.cos(u), r * np.sin(u), 1 - 2 * r], 1)


def build(opt, n_per_class, seed):
    rng = np.random.default_rng(seed)
    clouds, labels = [], []
    for label, name in enumerate(NAMES):
        for _ in range(n_per_class):
            p = sample(name, opt.n_points, rng)
            a = rng.uniform(0, 2 * np.pi)
            rot = np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]])
            p = p @ rot.T + rng.normal(0, opt.jitter, p.shape)
            p -= p.mean(0)
            clouds.append(p / np.linalg.norm(p, axis=1).max())
            labels.append(label)
    return TensorDataset(torch.tensor(np.stack(clouds), dtype=torch.float32), torch.tensor(labels))
