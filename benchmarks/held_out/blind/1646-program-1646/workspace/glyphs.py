"""Procedural traffic-sign images used in place of the proprietary photo set."""
import numpy as np

NAMES = ["stop", "yield", "speed", "parking"]
COLORS = np.array([[200, 30, 30], [230, 200, 40], [235, 235, 235], [40, 70, 200]])


def draw(rng, kind, size=40):
    img = rng.integers(60, 140, size=(size, size, 3)).astype("float32")
    yy, xx = np.mgrid[0:size, 0:size]
    c = size / 2 + rng.uniform(-4, 4, 2)
    r = rng.uniform(9, 15)
    dy, dx = yy - c[0], xx - c[1]
    if kind == 0:
        inside = np.abs(dy) + np.abs(dx) < 1.3 * r
    elif kind == 1:
        inside = (np.abs(dx) < (r - dy) / 2) & (np.abs(dy) < r)
    elif kind == 2:
        inside = dy ** 2 + dx ** 2 < r ** 2
    else:
        inside = (np.abs(dy) < r) & (np.abs(dx) < r)
    img[inside] = COLORS[kind] + rng.normal(0, 20, 3)
    return np.clip(img, 0, 255).astype("uint8")


def sample(count, seed):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, len(NAMES), count)
    return np.stack([draw(rng, k) for k in labels]), labels.astype("int32")
