"""Synthetic phase contrast images with instance-free cell masks (PNG, white = cell)."""
import sys
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFilter


def make(rng, size=64):
    mask = Image.new("L", (size, size), 0)
    draw = ImageDraw.Draw(mask)
    for _ in range(rng.integers(3, 6)):
        x, y = rng.integers(8, size - 8, 2)
        a, b = rng.integers(5, 12, 2)
        draw.ellipse([int(x - a), int(y - b), int(x + a), int(y + b)], fill=255)
    soft = np.asarray(mask.filter(ImageFilter.GaussianBlur(2)), dtype=float)
    img = 90 + 0.35 * soft + rng.normal(0, 12, (size, size))
    return Image.fromarray(np.clip(img, 0, 255).astype(np.uint8)), mask


if __name__ == "__main__":
    root, n = Path(sys.argv[1]), int(sys.argv[2])
    rng = np.random.default_rng(9)
    for sub in ("img", "mask"):
        (root / sub).mkdir(parents=True, exist_ok=True)
    for i in range(n):
        img, mask = make(rng)
        img.save(root / "img" / f"{i:03d}.png")
        mask.save(root / "mask" / f"{i:03d}.png")
    print(f"{n} images in {root}")
