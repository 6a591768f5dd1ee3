import csv

import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import Dataset

from text import build_vocab, to_ids, words


def read_tickets(path, stop):
    """tsv: id, comma separated tags (may be empty), subject + body"""
    out = []
    with open(path, encoding="utf8", newline="") as f:
        for row in csv.DictReader(f, delimiter="\t"):
            if not row["text"].strip():
                continue
            ts = words(row["text"], stop)
            out.append((row["id"], ts, [t for t in row["tags"].split(",") if t]))
    return out


class Tickets(Dataset):
    def __init__(self, rows, vocab, tags):
        self.x = [torch.tensor(to_ids(ts, vocab), dtype=torch.long) for _, ts, _ in rows]
        self.y = torch.zeros(len(rows), len(tags))
        for i, (_, _, ys) in enumerate(rows):
            for t in ys:
                self.y[i, tags.index(t)] = 1

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


def collate(items):
    xs, ys = zip(*items)
    lengths = torch.tensor([len(x) for x in xs])
    return pad_sequence(xs, batch_first=True), lengths, torch.stack(ys)


def load(cfg):
    rows = read_tickets(cfg["data"], set(cfg["stop_words"]))
    valid = rows[:: cfg["valid_every"]]
    train = [r for i, r in enumerate(rows) if i % cfg["valid_every"]]
    vocab = build_vocab([ts for _, ts, _ in train], cfg["min_freq"])
    return Tickets(train, vocab, cfg["tags"]), Tickets(valid, vocab, cfg["tags"]), vocab
