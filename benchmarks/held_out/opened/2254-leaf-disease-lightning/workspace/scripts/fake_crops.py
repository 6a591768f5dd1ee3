"""Synthesises leaf crops so that the pipeline can be tried without the real photos."""
import argparse
from pathlib import Path

import numpy as np

BASE = {
    "blight": (0.35, 0.30, 0.10),
    "healthy": (0.15, 0.60, 0.15),
    "mosaic": (0.50, 0.65, 0.20),
    "rust": (0.65, 0.30, 0.10),
}


def crop(rng, colour, size=32):
    img = np.tile(np.array(colour, dtype=np.float32), (size, size, 1))
    img += rng.normal(0, 0.08, img.shape).astype(np.float32)
    return (np.clip(img, 0, 1) * 255).astype(np.uint8)


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--out", type=Path, required=True)
    p.add_argument("--per-class", type=int, default=30)
    args = p.parse_args()
    rng = np.random.default_rng(0)
    for name, colour in BASE.items():
        folder = args.out / name
        folder.mkdir(parents=True, exist_ok=True)
        for i in range(args.per_class):
            np.save(folder / f"{name}_{i:03d}.npy", crop(rng, colour))
    print(f"wrote {args.per_class * len(BASE)} crops to {args.out}")
