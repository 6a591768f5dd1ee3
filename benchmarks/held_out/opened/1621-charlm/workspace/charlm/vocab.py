import json
from collections import Counter
from pathlib import Path

PAD, UNK, EOL = "<pad>", "<unk>", "<eol>"


class Vocab:
    """Word-level vocabulary with a two-way lookup."""

    def __init__(self, stoi, itos):
        self.stoi = stoi
        self.itos = itos

    @classmethod
    def build(cls, lines, min_count=1):
        counts = Counter(w for line in lines for w in line.split())
        words = [w for w, c in counts.most_common() if c >= min_count]
        itos = dict(enumerate([PAD, UNK, EOL] + words))
        stoi = {w: i for i, w in itos.items()}
        return cls(stoi, itos)

    def __len__(self):
        return len(self.itos)

    def encode(self, line, eol=True):
        unk = self.stoi[UNK]
        ids = [self.stoi.get(w, unk) for w in line.split()]
        return ids + [self.stoi[EOL]] if eol else ids

    def decode(self, ids):
        words = [self.itos[int(i)] for i in ids]
        return " ".join(words).replace(EOL, "\n")

    def save(self, path):
        state = {"stoi": self.stoi, "itos": self.itos}
        Path(path).write_text(json.dumps(state, indent=1))

    @classmethod
    def load(cls, path):
        state = json.loads(Path(path).read_text())
        return cls(state["stoi"], state["itos"])
