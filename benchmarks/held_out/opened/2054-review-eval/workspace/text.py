import csv
import re

import torch
from torch.nn.utils.rnn import pad_sequence

LABELS = ["negative", "neutral", "positive"]


def tokenize(s):
    return re.findall(r"[a-z']+|[!?]", s.lower())


def read_reviews(path):
    with open(path, newline="", encoding="utf-8") as f:
        return [(tokenize(r["review"]), LABELS.index(r["label"])) for r in csv.DictReader(f)]


def build_vocab(rows, min_freq=2):
    counts = {}
    for toks, _ in rows:
        for t in toks:
            counts[t] = counts.get(t, 0) + 1
    return {t: i for i, t in enumerate(["<pad>", "<unk>"] + sorted(t for t, c in counts.items() if c >= min_freq))}


def make_batch(rows, vocab):
    seqs = [torch.tensor([vocab.get(t, 1) for t in toks]) for toks, _ in rows]
    lengths = torch.tensor([len(s) for s in seqs])
    return pad_sequence(seqs, batch_first=True), lengths, torch.tensor([y for _, y in rows])
