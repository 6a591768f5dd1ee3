"""Writes boxes/train.json and boxes/val.json; the images are drawn from the seed of each record."""
import json

import numpy as np

LABELS = ["mug", "plate", "fork"]


def make(n, seed):
    rng = np.random.default_rng(seed)
    out = []
    for i in range(n):
        objs = []
        for _ in range(int(rng.integers(1, 4))):
            w, h = rng.uniform(0.15, 0.35, 2)
            cx, cy = rng.uniform(w / 2, 1 - w / 2), rng.uniform(h / 2, 1 - h / 2)
            objs.append({"label": LABELS[int(rng.integers(3))], "cxcywh": [round(float(v), 4) for v in (cx, cy, w, h)]})
        out.append({"id": f"img{i:04d}", "seed": int(rng.integers(1 << 30)), "objects": objs})
    return out


for name, n, seed in [("train", 120, 1), ("val", 30, 2)]:
    with open(f"boxes/{name}.json", "w") as fh:
        fh.write("[\n" + ",\n".join(json.dumps(r) for r in make(n, seed)) + "\n]\n")
