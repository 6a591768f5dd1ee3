import random

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

TAGS = ["O", "QTY", "UNIT", "NAME", "PREP"]
QTY = ["1", "2", "3", "1/2", "250", "100"]
UNIT = ["g", "ml", "cups", "tbsp", "pinch"]
NAME = ["flour", "butter", "sugar", "onion", "olive", "oil", "milk", "garlic"]
PREP = ["chopped", "melted", "sifted", "minced"]
OTHER = ["of", ",", "the", "about"]


def make_lines(n, seed):
    r = random.Random(seed)
    out = []
    for _ in range(n):
        line = []
        if r.random() < 0.2:
            line.append(("about", "O"))
        line.append((r.choice(QTY), "QTY"))
        if r.random() < 0.8:
            line += [(r.choice(UNIT), "UNIT"), ("of", "O")]
        for _ in range(r.randint(1, 2)):
            line.append((r.choice(NAME), "NAME"))
        if r.random() < 0.5:
            line += [(",", "O"), (r.choice(PREP), "PREP")]
        out.append(line)
    return out


class Vocab:
    def __init__(self, lines):
        words = sorted({w for line in lines for w, _ in line})
        self.index = {w: i + 2 for i, w in enumerate(words)}

    def __len__(self):
        return len(self.index) + 2

    def encode(self, line):
        ids = torch.tensor([self.index.get(w, 1) for w, _ in line])
        tags = torch.tensor([TAGS.index(t) for _, t in line])
        return ids, tags


def collate(batch):
    ids, tags = zip(*batch)
    lengths = torch.tensor([len(i) for i in ids])
    return pad_sequence(ids, True, 0), pad_sequence(tags, True, -100), lengths


class Tagger(nn.Module):
    def __init__(self, n_words, dim=24, hidden=32):
        super().__init__()
        self.emb = nn.Embedding(n_words, dim, padding_idx=0)
        self.rnn = nn.GRU(dim, hidden, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * hidden, len(TAGS))

    def forward(self, ids, lengths):
        x = pack_padded_sequence(self.emb(ids), lengths, batch_first=True, enforce_sorted=False)
        h, _ = pad_packed_sequence(self.rnn(x)[0], batch_first=True)
        return self.out(h)
