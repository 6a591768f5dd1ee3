"""Draw toy aerial tiles: background, road, building, water. Unlabelled borders are 255."""
import numpy as np


def tile(rng, size=32):
    img = rng.normal(0.2, 0.05, (size, size))
    lab = np.zeros((size, size), dtype=np.uint8)
    row = rng.integers(4, size - 8)
    img[row:row + 4] += 0.5
    lab[row:row + 4] = 1
    for _ in range(2):
        y, x = rng.integers(2, size - 10, 2)
        h, w = rng.integers(4, 8, 2)
        img[y:y + h, x:x + w] = 0.9 + rng.normal(0, 0.03, (h, w))
        lab[y:y + h, x:x + w] = 2
    cy, cx, r = rng.integers(6, size - 6), rng.integers(6, size - 6), rng.integers(3, 6)
    yy, xx = np.mgrid[:size, :size]
    pond = (yy - cy) ** 2 + (xx - cx) ** 2 < r * r
    img[pond] = 0.0
    lab[pond] = 3
    if rng.random() < 0.3:
        lab[:, :2] = 255
    return img.astype(np.float16), lab


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    for name, n in (("train", 40), ("val", 12)):
        tiles = [tile(rng) for _ in range(n)]
        np.savez_compressed(f"data/{name}.npz", images=np.stack([t[0] for t in tiles]), labels=np.stack([t[1] for t in tiles]))
