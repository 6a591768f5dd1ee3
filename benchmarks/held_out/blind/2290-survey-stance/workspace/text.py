import csv
from collections import Counter

import torch
from torch.utils.data import Dataset

PAD, UNK = 0, 1


def read_tsv(path):
    with open(path, newline="") as f:
        return list(csv.DictReader(f, delimiter="\t"))


def vocabulary(rows, min_count=1):
    counts = Counter(w for r in rows for w in r["answer"].split())
    return {w: i + 2 for i, w in enumerate(sorted(w for w, c in counts.items() if c >= min_count))}


class Answers(Dataset):
    def __init__(self, rows, vocab, stance_ids, max_words):
        self.rows, self.vocab, self.stance_ids, self.max_words = rows, vocab, stance_ids, max_words

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        row = self.rows[i]
        ids = [self.vocab.get(w, UNK) for w in row["answer"].split()][: self.max_words]
        ids += [PAD] * (self.max_words - len(ids))
        return torch.tensor(ids), self.stance_ids[row["stance"]]
