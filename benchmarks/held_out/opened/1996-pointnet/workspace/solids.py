import numpy as np
import torch
from torch.utils.data import TensorDataset

SHAPES = ("sphere", "cube", "cylinder", "torus")


def sphere(n, rng):
    v = rng.normal(size=(n, 3))
    return v / np.linalg.norm(v, axis=1, keepdims=True)


def cube(n, rng):
    p = rng.uniform(-1, 1, size=(n, 3))
    face = rng.integers(0, 3, n)
    p[np.arange(n), face] = rng.choice([-1.0, 1.0], n)
    return p


def cylinder(n, rng):
    a = rng.uniform(0, 2 * np.pi, n)
    return np.stack([0.6 * np.cos(a), 0.6 * np.sin(a), rng.uniform(-1, 1, n)], axis=1)


def torus(n, rng):
    a, b = rng.uniform(0, 2 * np.pi, (2, n))
    r = 0.8 + 0.3 * np.cos(b)
    return np.stack([r * np.cos(a), r * np.sin(a), 0.3 * np.sin(b)], axis=1)


MAKERS = (sphere, cube, cylinder, torus)


def rotate_z(p, rng):
    a = rng.uniform(0, 2 * np.pi)
    c, s = np.cos(a), np.sin(a)
    return p @ np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]).T


def make_clouds(count, points, jitter, seed):
    rng = np.random.default_rng(seed)
    clouds = np.empty((count, points, 3), dtype=np.float32)
    labels = np.arange(count) % len(SHAPES)
    for i, lab in enumerate(labels):
        p = rotate_z(MAKERS[lab](points, rng), rng)
        p = p - p.mean(0)
        p = p / np.linalg.norm(p, axis=1).max()
        clouds[i] = p + rng.normal(0, jitter, p.shape)
    return TensorDataset(torch.from_numpy(clouds), torch.from_numpy(labels))
