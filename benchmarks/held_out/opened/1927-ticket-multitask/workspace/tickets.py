import collections
import re

import numpy as np
import pandas as pd
import torch
from torch.utils.data import Dataset

from settings import UNKNOWN

PRIORITIES = ["low", "normal", "urgent"]
TEAMS = ["billing", "hardware", "network", "accounts"]


def words(text):
    return re.findall(r"[a-z]+", text.lower())


def build_vocab(texts, min_count):
    count = collections.Counter(w for t in texts for w in words(t))
    kept = sorted(w for w, c in count.items() if c >= min_count)
    return {w: i + 1 for i, w in enumerate(kept)}


def load(path):
    df = pd.read_csv(path)
    df["priority"] = df["priority"].map({p: i for i, p in enumerate(PRIORITIES)})
    df["team"] = df["team"].map({t: i for i, t in enumerate(TEAMS)}).fillna(UNKNOWN).astype(int)
    df["hours"] = np.log1p(df["hours"]).astype("float32")
    cut = int(0.8 * len(df))
    return df.iloc[:cut], df.iloc[cut:]


class Tickets(Dataset):
    def __init__(self, df, vocab):
        self.bags = [[vocab[w] for w in words(t) if w in vocab] or [0] for t in df["text"]]
        self.y = {k: df[k].to_numpy() for k in ("priority", "team", "hours")}

    def __len__(self):
        return len(self.bags)

    def __getitem__(self, i):
        return self.bags[i], {k: v[i] for k, v in self.y.items()}


def collate(rows):
    bags, ys = zip(*rows)
    offsets = np.cumsum([0] + [len(b) for b in bags[:-1]])
    flat = torch.tensor([w for b in bags for w in b])
    target = {k: torch.as_tensor(np.array([y[k] for y in ys])) for k in ys[0]}
    return flat, torch.from_numpy(offsets), target
