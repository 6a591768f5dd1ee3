"""Vocabulary, encoding and batching."""
from collections import Counter

import torch

PAD, UNK, CLS = 0, 1, 2


class Vocab:
    def __init__(self, texts, min_freq):
        counts = Counter(w for t in texts for w in t.split())
        words = sorted(w for w, c in counts.items() if c >= min_freq)
        self.index = {w: i for i, w in enumerate(words, start=3)}

    def __len__(self):
        return len(self.index) + 3

    def encode(self, text, max_len):
        ids = [CLS] + [self.index.get(w, UNK) for w in text.split()]
        ids = ids[:max_len]
        return ids + [PAD] * (max_len - len(ids))


class Collate:
    """Turns a list of (text, team) into token ids, mask and targets."""

    def __init__(self, vocab, max_len):
        self.vocab, self.max_len = vocab, max_len

    def __call__(self, batch):
        texts, teams = zip(*batch)
        ids = torch.tensor([self.vocab.encode(t, self.max_len) for t in texts])
        mask = ids != PAD
        return ids, mask, torch.tensor(teams)
