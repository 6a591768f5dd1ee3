import json

import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import Dataset

from .text import PAD, encode


def read_jsonl(path):
    with open(path, encoding="utf-8") as f:
        return [json.loads(line) for line in f]


class Tickets(Dataset):
    def __init__(self, rows, vocab, label2id):
        self.items = [(encode(r["text"], vocab), label2id[r["label"]]) for r in rows]

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


def collate(batch):
    ids, labels = zip(*batch)
    lengths = torch.tensor([len(x) for x in ids])
    padded = pad_sequence(
        [torch.tensor(x, dtype=torch.long) for x in ids],
        batch_first=True,
        padding_value=PAD,
    )
    return padded, lengths, torch.tensor(labels)
