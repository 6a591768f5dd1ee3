import numpy as np


def auc(y, s):
    """Mann-Whitney, ties count one half."""
    pos, neg = s[y == 1], s[y == 0]
    if len(pos) == 0 or len(neg) == 0:
        return np.nan
    d = pos[:, None] - neg[None, :]
    return ((d > 0).sum() + 0.5 * (d == 0).sum()) / d.size


def bootstrap_ci(fn, y, s, n, seed=0):
    rng = np.random.default_rng(seed)
    values = []
    for _ in range(n):
        i = rng.integers(0, len(y), len(y))
        values.append(fn(y[i], s[i]))
    return np.nanpercentile(values, [2.5, 97.5])


def specificity_at(y, s, sensitivity):
    pos = np.sort(s[y == 1])[::-1]
    k = int(np.ceil(sensitivity * len(pos)))
    threshold = pos[k - 1]
    return (s[y == 0] < threshold).mean(), threshold
