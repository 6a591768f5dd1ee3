import json
from collections import Counter
from pathlib import Path

import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import Dataset

INTENTS = ["cook", "lights", "play", "travel"]


def read_records(folder):
    records = []
    for path in sorted(Path(folder).glob("*.jsonl")):
        with open(path) as f:
            records += [json.loads(line) for line in f]
    return records


def build_vocab(records, min_count=1):
    counts = Counter(w for r in records for w in r["text"].lower().split())
    words = sorted(w for w, c in counts.items() if c >= min_count)
    return {w: i for i, w in enumerate(["<pad>", "<unk>", *words])}


class RequestDataset(Dataset):
    def __init__(self, records, vocab):
        self.samples = [
            (torch.tensor([vocab.get(w, 1) for w in r["text"].lower().split()]),
             INTENTS.index(r["intent"]))
            for r in records
        ]

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, i):
        return self.samples[i]


def collate(batch):
    ids, labels = zip(*batch)
    return pad_sequence(ids, batch_first=True), torch.tensor(labels)
