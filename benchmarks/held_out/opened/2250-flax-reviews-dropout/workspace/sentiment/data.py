import numpy as np
import pandas as pd


def load(path, max_len, seed):
    df = pd.read_csv(path)
    words = sorted({w for r in df.review for w in r.split()})
    index = {w: i + 1 for i, w in enumerate(words)}
    ids = np.zeros((len(df), max_len), dtype=np.int32)
    for row, text in zip(ids, df.review):
        toks = [index[w] for w in text.split()][:max_len]
        row[: len(toks)] = toks
    labels = (df.stars > 3).to_numpy().astype(np.int32)
    order = np.random.default_rng(seed).permutation(len(df))
    cut = int(0.8 * len(df))
    tr, te = order[:cut], order[cut:]
    return (ids[tr], labels[tr]), (ids[te], labels[te]), len(words) + 1


def batches(x, y, size, rng):
    while True:
        pick = rng.choice(len(x), size, replace=False)
        yield x[pick], y[pick]
