import numpy as np

import schema


def make_listings(n=400, seed=0):
    rng = np.random.default_rng(seed)
    rooms = rng.integers(1, 6, n)
    area = rooms * 18 + rng.normal(12, 6, n)
    floor = rng.integers(0, 9, n)
    year = rng.integers(1930, 2022, n)
    district = rng.integers(0, schema.DISTRICTS, n)
    tokens = rng.integers(1, schema.VOCAB, (n, schema.TEXT_TOKENS))
    price = area * (1 + 0.2 * district) + 0.1 * (year - 1930)
    numeric = np.stack([rooms, area, floor, year], axis=1).astype("float32")
    inputs = {
        "numeric": (numeric - numeric.mean(0)) / numeric.std(0),
        "district": district[:, None],
        "description": tokens,
    }
    price = (price - price.mean()) / price.std()
    targets = {
        "price": price.astype("float32"),
        "days_online": rng.gamma(2.0, 1.0, n).astype("float32"),
        "quality": np.digitize(price + rng.normal(0, 0.3, n), [-0.5, 0.5]),
    }
    return inputs, targets


def split(inputs, targets, fraction):
    n = int(fraction * len(targets["price"]))
    cut = lambda d, sl: {k: v[sl] for k, v in d.items()}
    return (
        (cut(inputs, slice(n)), cut(targets, slice(n))),
        (cut(inputs, slice(n, None)), cut(targets, slice(n, None))),
    )
