"""Synthetic keyed signals with the text as the label."""
import numpy as np
import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import Dataset

CODE = {"A": ".-", "D": "-..", "E": ".", "I": "..", "M": "--", "N": "-.", "R": ".-.", "S": "...", "T": "-"}
ALPHABET = sorted(CODE)


def key(text, unit, rng):
    parts = []
    for ch in text:
        for mark in CODE[ch]:
            length = unit * (1 if mark == "." else 3)
            parts += [np.ones(length + rng.integers(-1, 2)), np.zeros(unit)]
        parts.append(np.zeros(2 * unit))
    return np.concatenate(parts)


class MorseSet(Dataset):
    def __init__(self, cfg, n, seed):
        rng = np.random.default_rng(seed)
        self.items = []
        lo, hi = cfg["letters"]
        for _ in range(n):
            text = "".join(rng.choice(ALPHABET, rng.integers(lo, hi + 1)))
            wave = key(text, cfg["unit"], rng)
            wave = wave + rng.normal(0, cfg["noise"], len(wave))
            self.items.append((torch.tensor(wave, dtype=torch.float32), text))

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]

    def lengths(self):
        return [len(w) for w, _ in self.items]


def collate(batch):
    waves, texts = zip(*batch)
    lengths = torch.tensor([len(w) for w in waves])
    targets = torch.tensor([ALPHABET.index(c) + 1 for t in texts for c in t])   # 0 = blank
    target_lengths = torch.tensor([len(t) for t in texts])
    return pad_sequence(waves, batch_first=True), lengths, targets, target_lengths, texts
