import numpy as np

SUBJECTS = ["the pump", "the valve", "a sensor", "the turbine", "a filter"]
VERBS = ["reported", "triggered", "cleared", "missed"]
OBJECTS = ["an alarm", "a reading", "the limit", "a warning", "the check"]
TIMES = ["today", "at noon", "last night", "again"]
CHARS = "\0 abcdefghijklmnopqrstuvwxyz.<"
BOS = CHARS.index("<")
STOI = {c: i for i, c in enumerate(CHARS)}


def sentences(n, rng):
    for _ in range(n):
        parts = [rng.choice(group) for group in (SUBJECTS, VERBS, OBJECTS, TIMES)]
        yield " ".join(parts) + "."


def encode(text, seq_len):
    ids = [BOS] + [STOI[c] for c in text]
    ids = ids[: seq_len + 1]
    return ids + [0] * (seq_len + 1 - len(ids))


def load(n, seq_len, val_fraction, seed):
    rng = np.random.default_rng(seed)
    rows = np.array([encode(s, seq_len) for s in sentences(n, rng)], np.int32)
    cut = int(len(rows) * val_fraction)
    return rows[cut:], rows[:cut]


def batches(rows, batch_size, rng=None):
    order = np.arange(len(rows)) if rng is None else rng.permutation(len(rows))
    for i in range(0, len(rows) - batch_size + 1, batch_size):
        yield rows[order[i : i + batch_size]]
