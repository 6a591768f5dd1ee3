from collections import Counter


class Vocab:
    def __init__(self, tokens=()):
        self.itos = list(tokens)
        self.stoi = {t: i for i, t in enumerate(self.itos)}

    @classmethod
    def from_corpus(cls, sentences, min_freq=1):
        counts = Counter(tok for s in sentences for tok in s)
        kept = sorted((t for t, c in counts.items() if c >= min_freq), key=lambda t: (-counts[t], t))
        return cls(kept)

    def add(self, token):
        if token not in self.stoi:
            self.stoi[token] = len(self.itos)
            self.itos.append(token)
        return self.stoi[token]

    def __len__(self):
        return len(self.itos)

    def encode(self, tokens, unk="<unk>"):
        return [self.stoi.get(t, self.stoi[unk]) for t in tokens]

    def decode(self, ids):
        return [self.itos[i] for i in ids]
