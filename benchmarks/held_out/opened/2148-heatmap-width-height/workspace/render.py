"""Render the toy frames (three coloured joints on grey) and their annotation files."""
import json

import numpy as np
from PIL import Image

rng = np.random.default_rng(8)
records = []
for i in range(60):
    img = np.repeat(84.0 + 12 * rng.integers(0, 2, (48, 64, 1)), 3, axis=2)
    pts = []
    for ch in range(3):
        x, y = int(rng.integers(6, 58)), int(rng.integers(6, 42))
        img[y - 2:y + 3, x - 2:x + 3, ch] = 250
        pts.append([x, y, 1])
    name = f"f{i:04d}.png"
    Image.fromarray(img.clip(0, 255).astype(np.uint8)).quantize(16).save(f"frames/{name}", optimize=True)
    records.append({"file": name, "width": 64, "height": 48, "keypoints": pts})
json.dump(records[:48], open("annotations/train.json", "w"))
json.dump(records[48:], open("annotations/val.json", "w"))
