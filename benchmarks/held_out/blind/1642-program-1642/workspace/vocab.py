import json
from collections import Counter

PAD, UNK, CLS, SEP = "[PAD]", "[UNK]", "[CLS]", "[SEP]"


class Vocab:
    def __init__(self, tokens):
        self.itos = list(tokens)
        self.stoi = {t: i for i, t in enumerate(self.itos)}

    @classmethod
    def build(cls, texts, min_freq):
        counts = Counter(w for t in texts for w in t.split())
        kept = [w for w, c in counts.most_common() if c >= min_freq]
        return cls([PAD, UNK] + kept)

    def add_special(self, token):
        if token not in self.stoi:
            self.stoi[token] = len(self.itos)
            self.itos.append(token)
        return self.stoi[token]

    def encode(self, text, max_len):
        unk = self.stoi[UNK]
        ids = [self.stoi.get(w, unk) for w in text.split()][: max_len - 2]
        return [self.stoi[CLS]] + ids + [self.stoi[SEP]]

    def save(self, path):
        with open(path, "w") as f:
            json.dump(self.itos, f)

    @classmethod
    def load(cls, path):
        with open(path) as f:
            return cls(json.load(f))

    def __len__(self):
        return len(self.itos)
