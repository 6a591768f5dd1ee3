from pathlib import Path

import numpy as np
from PIL import Image

rng = np.random.default_rng(0)
for folder in ('data/imgs', 'data/masks'):
    Path(folder).mkdir(parents=True, exist_ok=True)
yy, xx = np.mgrid[:32, :32]
for i in range(8):
    cy, cx, r = rng.integers(8, 24, 2).tolist() + [int(rng.integers(4, 8))]
    disc = (yy - cy) ** 2 + (xx - cx) ** 2 < r * r
    image = rng.integers(0, 80, (32, 32, 3))
    image[disc] += 150
    Image.fromarray(image.astype(np.uint8)).save(f'data/imgs/{i:03d}.png')
    Image.fromarray(disc.astype(np.uint8)).save(f'data/masks/{i:03d}_mask.png')
