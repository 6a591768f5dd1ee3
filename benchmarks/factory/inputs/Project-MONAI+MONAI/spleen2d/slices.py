import numpy as np


def make_slices(count, size, seed=0):
    """Return dicts of an image with a bright ellipse and its label, both (size, size)."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[:size, :size]
    cases = []
    for _ in range(count):
        cy, cx = rng.uniform(0.35 * size, 0.65 * size, 2)
        ry, rx = rng.uniform(0.15 * size, 0.3 * size, 2)
        label = ((y - cy) / ry) ** 2 + ((x - cx) / rx) ** 2 <= 1
        image = rng.normal(0, 0.3, label.shape) + label
        cases.append({"image": image.astype(np.float32), "label": label.astype(np.uint8)})
    return cases
