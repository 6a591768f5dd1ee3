import re
from collections import Counter

PAD, UNK = "<pad>", "<unk>"
_TOKEN = re.compile(r"[a-z0-9']+")


def tokenize(text):
    return _TOKEN.findall(text.lower())


class Vocab:
    def __init__(self, texts, min_count=1):
        counts = Counter(tok for text in texts for tok in tokenize(text))
        kept = [tok for tok, n in counts.most_common() if n >= min_count]
        self.itos = [PAD, UNK] + kept
        self.stoi = {tok: i for i, tok in enumerate(self.itos)}

    def __len__(self):
        return len(self.itos)

    @property
    def pad_id(self):
        return self.stoi[PAD]

    def encode(self, text):
        unk = self.stoi[UNK]
        return [self.stoi.get(tok, unk) for tok in tokenize(text)] or [unk]
