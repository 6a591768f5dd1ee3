import re
from collections import Counter

SPECIALS = ["<pad>", "<bos>", "<eos>", "<unk>"]


class WordTokenizer:
    def __init__(self, texts, min_freq=1):
        counts = Counter(w for t in texts for w in self.split(t))
        words = sorted(w for w, c in counts.items() if c >= min_freq)
        self.itos = SPECIALS + words
        self.stoi = {w: i for i, w in enumerate(self.itos)}

    @staticmethod
    def split(text):
        return re.findall(r"[a-z]+", text.lower())

    def encode(self, text):
        unk = self.stoi["<unk>"]
        return [1] + [self.stoi.get(w, unk) for w in self.split(text)] + [2]

    def decode(self, ids):
        return " ".join(self.itos[i] for i in ids if i >= len(SPECIALS))
