import numpy as np


def draw(rng, size, cells):
    yy, xx = np.mgrid[:size, :size]
    image = rng.normal(0.2, 0.05, (size, size))
    mask = np.zeros((size, size), dtype="float32")
    for _ in range(rng.integers(*cells)):
        cy, cx = rng.uniform(5, size - 5, 2)
        r = rng.uniform(3, 7)
        blob = (yy - cy) ** 2 + (xx - cx) ** 2 < r**2
        image[blob] += rng.uniform(0.3, 0.5)
        mask[blob] = 1.0
    return image.astype("float32")[..., None], mask[..., None]


def make_images(n_images, image_size, cells, seed):
    rng = np.random.default_rng(seed)
    pairs = [draw(rng, image_size, cells) for _ in range(n_images)]
    images, masks = map(np.stack, zip(*pairs))
    return images, masks
