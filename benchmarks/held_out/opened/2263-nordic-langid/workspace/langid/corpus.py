from pathlib import Path

import torch
from torch.utils.data import Dataset

PAD, UNK = 0, 1


class Alphabet:
    def __init__(self, lines):
        chars = sorted({c for line in lines for c in line})
        self.index = {c: i for i, c in enumerate(chars, start=2)}

    def __len__(self):
        return len(self.index) + 2

    def encode(self, line, max_chars):
        ids = [self.index.get(c, UNK) for c in line[:max_chars]]
        return ids + [PAD] * (max_chars - len(ids))


def read_corpus(data_dir, languages):
    """Gives (line, label) pairs; the label is the position in `languages`."""
    pairs = []
    for label, lang in enumerate(languages):
        path = Path(data_dir) / f"{lang}.txt"
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.strip():
                pairs.append((line.strip(), label))
    return pairs


class Sentences(Dataset):
    def __init__(self, pairs, alphabet, max_chars):
        self.x = torch.tensor([alphabet.encode(line, max_chars) for line, _ in pairs])
        self.y = torch.tensor([label for _, label in pairs])

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i], self.y[i]
