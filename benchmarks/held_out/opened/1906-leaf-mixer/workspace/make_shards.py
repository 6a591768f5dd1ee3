"""Renders the leaf silhouettes to npz shards (uint8 NHWC)."""
import argparse
import os

import numpy as np


def leaf(rng, kind, size):
    t = np.linspace(-1, 1, size)
    x, y = np.meshgrid(t, t)
    a = rng.uniform(-0.6, 0.6)
    u, v = np.cos(a) * x + np.sin(a) * y, -np.sin(a) * x + np.cos(a) * y
    theta, r = np.arctan2(v, u), np.hypot(u, v)
    lobes = [1, 3, 5, 7, 2, 9][kind % 6]
    edge = 0.55 + 0.22 * np.cos(lobes * theta) + rng.uniform(-0.08, 0.08)
    inside = r < edge
    colour = np.array([rng.uniform(20, 90), rng.uniform(110, 190), rng.uniform(20, 70)])
    img = rng.normal(215, 8, (size, size, 3))
    img[inside] = colour + rng.normal(0, 10, (inside.sum(), 3))
    return img.clip(0, 255).astype(np.uint8)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--size", type=int, required=True)
    p.add_argument("--num-classes", type=int, default=6)
    p.add_argument("--per-class", type=int, default=40)
    p.add_argument("--shard-len", type=int, default=80)
    p.add_argument("--out", required=True)
    a = p.parse_args()

    rng = np.random.default_rng(17)
    labels = rng.permutation(np.repeat(np.arange(a.num_classes), a.per_class))
    os.makedirs(a.out, exist_ok=True)
    for k, i in enumerate(range(0, len(labels), a.shard_len)):
        part = labels[i:i + a.shard_len]
        imgs = np.stack([leaf(rng, c, a.size) for c in part])
        np.savez_compressed(f"{a.out}/{k:03d}.npz", images=imgs, labels=part)
    print(f"wrote {k + 1} shards with {len(labels)} images to {a.out}")


if __name__ == "__main__":
    main()
