import json

import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import Dataset

IGNORE = -100


def read_jsonl(path):
    rows = []
    with open(path, encoding="utf-8") as f:
        for line in f:
            if line.strip():
                rows.append(json.loads(line))
    return rows


class NerDataset(Dataset):
    def __init__(self, rows, vocab, labels):
        self.items = []
        for r in rows:
            x = torch.tensor(vocab.encode(r["tokens"]))
            y = torch.tensor([labels.stoi[t] for t in r["tags"]])
            self.items.append((x, y))

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


def collate(batch):
    xs, ys = zip(*batch)
    lengths = torch.tensor([len(x) for x in xs])
    x = pad_sequence(xs, batch_first=True, padding_value=0)
    y = pad_sequence(ys, padding_value=IGNORE)
    return x, y, lengths
