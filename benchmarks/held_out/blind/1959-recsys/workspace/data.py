import json
import os
import random

import numpy as np
import pandas as pd
import torch
from torch.utils.data import Dataset


class Vocab:
    def __init__(self, path):
        d = json.load(open(path))
        self.items = d["items"]
        self.users = d["users"]

    @property
    def n_items(self):
        return len(self.items)

    @property
    def n_users(self):
        return len(self.users)


def load_sequences(conf, vocab):
    """list of (user_idx, [item_idx, ...]) ordered in time, only liked items"""
    df = pd.read_csv(conf["ratings"])
    df = df[df.rating >= conf["implicit_threshold"]]
    counts = df.item.value_counts()
    df = df[df.item.map(counts) >= conf["min_item_count"]]
    df = df.sort_values("ts", kind="stable")
    seqs = []
    for u, g in df.groupby("user", sort=True):
        s = [vocab.items[i] for i in g["item"]]
        if len(s) < 4:
            continue
        seqs.append((vocab.users[u], s))
    return seqs


def left_pad(s, n):
    s = s[-n:]
    return [0] * (n - len(s)) + s


class NextItem(Dataset):
    """history -> next item. last item of each user is test, the one before is valid"""

    def __init__(self, seqs, conf, n_items, part="train"):
        self.rows = []
        self.n_items = n_items
        self.n_neg = conf["n_neg"]
        self.part = part
        L = conf["history_len"]
        for u, s in seqs:
            if part == "train":
                for t in range(1, len(s) - 2):
                    self.rows.append((u, left_pad(s[:t], L), s[t], set(s)))
            elif part == "valid":
                self.rows.append((u, left_pad(s[:-2], L), s[-2], set(s)))
            else:
                self.rows.append((u, left_pad(s[:-1], L), s[-1], set(s)))

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, k):
        u, h, pos, seen = self.rows[k]
        negs = []
        while len(negs) < self.n_neg:
            j = random.randint(1, self.n_items - 1)
            if j not in seen:
                negs.append(j)
        return (torch.tensor(u), torch.tensor(h), torch.tensor(pos), torch.tensor(negs))
