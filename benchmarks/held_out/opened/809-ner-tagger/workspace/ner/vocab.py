from collections import Counter

PAD, UNK = "<pad>", "<unk>"


class Vocab:
    def __init__(self, tokens=(), min_freq=1, specials=(PAD, UNK)):
        counts = Counter(tokens)
        self.itos = list(specials)
        self.itos += [t for t, c in sorted(counts.items()) if c >= min_freq]
        self.stoi = {t: i for i, t in enumerate(self.itos)}

    @classmethod
    def from_file(cls, path):
        with open(path, encoding="utf-8") as f:
            names = [l.strip() for l in f if l.strip()]
        v = cls(specials=())
        v.itos = names
        v.stoi = {n: i for i, n in enumerate(names)}
        return v

    def __len__(self):
        return len(self.itos)

    def encode(self, tokens):
        unk = self.stoi[UNK]
        return [self.stoi.get(t.lower(), unk) for t in tokens]
