import os
from collections import Counter

import torch


class Dictionary:
    def __init__(self, tokens, min_count):
        counts = Counter(tokens)
        self.idx2word = ["<unk>"] + sorted(w for w, c in counts.items() if c >= min_count)
        self.word2idx = {w: i for i, w in enumerate(self.idx2word)}

    def __len__(self):
        return len(self.idx2word)

    def lookup(self, tokens):
        return torch.tensor([self.word2idx.get(t, 0) for t in tokens], dtype=torch.long)


class Stream:
    """Token stream cut into batch_size parallel columns, served bptt tokens at a time."""

    def __init__(self, ids, batch_size, bptt):
        usable = len(ids) // batch_size * batch_size
        self.rows = ids[:usable].view(batch_size, -1)
        self.bptt = bptt

    def __len__(self):
        return (self.rows.size(1) - 2) // self.bptt + 1

    def __iter__(self):
        last = self.rows.size(1) - 1
        for start in range(0, last, self.bptt):
            stop = min(start + self.bptt, last)
            yield self.rows[:, start:stop], self.rows[:, start + 1:stop + 1]


def read_tokens(path):
    tokens = []
    with open(path, encoding="utf8") as f:
        for line in f:
            tokens += line.split() + ["<eos>"]
    return tokens


def build(text_dir, min_count, bptt, batch_size, eval_batch_size):
    train = read_tokens(os.path.join(text_dir, "train.txt"))
    valid = read_tokens(os.path.join(text_dir, "valid.txt"))
    dictionary = Dictionary(train, min_count)
    return (
        dictionary,
        Stream(dictionary.lookup(train), batch_size, bptt),
        Stream(dictionary.lookup(valid), eval_batch_size, bptt),
    )
