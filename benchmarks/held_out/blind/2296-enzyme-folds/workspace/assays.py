"""Peptide activity assay; families must not be split over folds."""
import numpy as np

AMINO = "ACDEFGHIKLMNPQRSTVWY"
LENGTH = 12


def assay(n_families=30, per_family=8, seed=40):
    rng = np.random.default_rng(seed)
    effect = rng.normal(0, 1, (LENGTH, 20)) * np.linspace(1, 0.2, LENGTH)[:, None]
    seqs, family = [], []
    for f in range(n_families):
        parent = rng.integers(20, size=LENGTH)
        for _ in range(per_family):
            child = parent.copy()
            where = rng.random(LENGTH) < 0.35
            child[where] = rng.integers(20, size=where.sum())
            seqs.append(child)
            family.append(f)
    seqs = np.array(seqs)
    activity = effect[np.arange(LENGTH), seqs].sum(1) + rng.normal(0, 0.2, len(seqs))
    return seqs, activity.astype("float32"), np.array(family)


def family_folds(family, folds, seed=0):
    """List of (train indices, test indices), whole families on one side."""
    names = np.random.default_rng(seed).permutation(np.unique(family))
    out = []
    for part in np.array_split(names, folds):
        test = np.isin(family, part)
        out.append((np.flatnonzero(~test), np.flatnonzero(test)))
    return out


def one_hot(seqs):
    return np.eye(20, dtype="float32")[seqs].reshape(len(seqs), -1)
