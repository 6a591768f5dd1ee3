import csv
from collections import defaultdict

import numpy as np


def load_sessions(path, min_length=3):
    """events.csv (session,time,item) -> list of item-name sequences in time order."""
    sessions = defaultdict(list)
    with open(path, newline="") as f:
        for row in csv.DictReader(f):
            sessions[row["session"]].append((int(row["time"]), row["item"]))
    ordered = []
    for key in sorted(sessions):
        items = [item for _, item in sorted(sessions[key])]
        if len(items) >= min_length:
            ordered.append(items)
    return ordered


class ItemIndex:
    """0 is the padding item."""

    def __init__(self, sessions):
        names = sorted({i for s in sessions for i in s})
        self.names = ["<pad>"] + names
        self.ids = {n: k for k, n in enumerate(self.names)}

    def __len__(self):
        return len(self.names)

    def encode(self, session):
        return [self.ids[i] for i in session]


def leave_one_out(encoded):
    train = [s[:-1] for s in encoded]
    test = [(s[:-1], s[-1]) for s in encoded]
    return train, test


def popularity(train, n_items):
    counts = np.zeros(n_items)
    for s in train:
        np.add.at(counts, s, 1)
    counts[0] = 0
    return counts ** 0.75 / (counts ** 0.75).sum()
