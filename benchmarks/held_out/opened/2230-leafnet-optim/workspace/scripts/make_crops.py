"""Draw synthetic leaves: an ellipse with a class dependent shape and tint."""
import argparse
from pathlib import Path

import numpy as np

SHAPES = [(1.0, 1.0), (2.0, 1.0), (1.0, 2.2), (3.0, 1.0), (1.4, 1.4)]
TINTS = np.array([[40, 120, 50], [60, 140, 40], [90, 130, 60], [30, 100, 70], [120, 110, 40]])


def draw(rng, label, size=32):
    yy, xx = np.mgrid[:size, :size] - size / 2
    a, b = SHAPES[label]
    angle = rng.uniform(-0.4, 0.4)
    u = np.cos(angle) * xx + np.sin(angle) * yy
    v = -np.sin(angle) * xx + np.cos(angle) * yy
    inside = (u / (a * 5)) ** 2 + (v / (b * 5)) ** 2 < 1
    img = rng.normal(215, 8, (size, size, 3))
    img[inside] = TINTS[label] + rng.normal(0, 12, (inside.sum(), 3))
    return np.clip(img, 0, 255).astype(np.uint8)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--out", type=Path, required=True)
    p.add_argument("--per-class", type=int, default=33)
    p.add_argument("--seed", type=int, default=0)
    args = p.parse_args()

    rng = np.random.default_rng(args.seed)
    labels = np.repeat(np.arange(len(SHAPES)), args.per_class)
    images = np.stack([draw(rng, k) for k in labels])
    args.out.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(args.out, images=images, labels=labels)
    print(f"wrote {len(images)} crops to {args.out}")


if __name__ == "__main__":
    main()
