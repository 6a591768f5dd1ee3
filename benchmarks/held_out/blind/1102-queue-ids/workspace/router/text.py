import json
import re
from collections import Counter

import torch
from torch.utils.data import Dataset

PAD, UNK = "<pad>", "<unk>"


def tokenize(text):
    return re.findall(r"[a-z]+|[^\sa-z]", text.lower())


class Vocab:
    def __init__(self, texts, min_freq=2):
        freq = Counter(tok for t in texts for tok in tokenize(t))
        self.itos = [PAD, UNK] + sorted(t for t, n in freq.items() if n >= min_freq)
        self.stoi = {t: i for i, t in enumerate(self.itos)}

    def __len__(self):
        return len(self.itos)

    def encode(self, text):
        return [self.stoi.get(t, 1) for t in tokenize(text)]


class Tickets(Dataset):
    def __init__(self, records, vocab, queue_ids):
        self.items = [(vocab.encode(r["subject"]), queue_ids[r["queue"]]) for r in records]

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


def load_records(path):
    with open(path) as fh:
        return [json.loads(line) for line in fh if line.strip()]


def bag_collate(batch):
    """Flat token ids with offsets, as nn.EmbeddingBag wants them."""
    ids, labels = zip(*batch)
    offsets = torch.tensor([0] + [len(x) for x in ids[:-1]]).cumsum(0)
    flat = torch.tensor([t for x in ids for t in x])
    return flat, offsets, torch.tensor(labels)
