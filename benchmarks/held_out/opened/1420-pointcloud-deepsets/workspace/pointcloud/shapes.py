import numpy as np

SHAPES = ("sphere", "cube", "torus", "cylinder")


def _points(kind, n, rng):
    if kind == "sphere":
        p = rng.normal(size=(n, 3))
        return p / np.linalg.norm(p, axis=1, keepdims=True)
    if kind == "cube":
        p = rng.uniform(-1, 1, (n, 3))
        ax = rng.integers(3, size=n)
        p[np.arange(n), ax] = rng.choice([-1.0, 1.0], n)
        return p
    a = rng.uniform(0, 2 * np.pi, n)
    if kind == "torus":
        b = rng.uniform(0, 2 * np.pi, n)
        r = 1 + 0.35 * np.cos(b)
        return np.stack([r * np.cos(a), r * np.sin(a), 0.35 * np.sin(b)], 1)
    return np.stack([np.cos(a), np.sin(a), rng.uniform(-1, 1, n)], 1)


def _rotation(rng):
    q, r = np.linalg.qr(rng.normal(size=(3, 3)))
    return q * np.sign(np.diag(r))


def sample_batch(rng, batch, n_points=64, jitter=0.03, rotate=True):
    y = rng.integers(len(SHAPES), size=batch)
    x = np.stack([_points(SHAPES[k], n_points, rng) for k in y])
    if rotate:
        x = np.stack([c @ _rotation(rng).T for c in x])
    x += rng.normal(0, jitter, x.shape)
    return x.astype(np.float32), y.astype(np.int32)
