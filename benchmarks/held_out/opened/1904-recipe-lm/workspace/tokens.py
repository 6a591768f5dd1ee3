"""Word-level tokenisation: lowercase words, punctuation as its own token, <nl> between recipes."""
import re
from collections import Counter

TOKEN = re.compile(r"[a-z]+|[0-9]+|[.,;]")


class Vocab:
    def __init__(self, texts, min_count):
        c = Counter(t for line in texts for t in TOKEN.findall(line.lower()))
        self.itos = ["<unk>", "<nl>"] + sorted(w for w, n in c.items() if n >= min_count)
        self.stoi = {w: i for i, w in enumerate(self.itos)}

    def __len__(self):
        return len(self.itos)

    def encode(self, line):
        return [self.stoi.get(t, 0) for t in TOKEN.findall(line.lower())] + [1]


def encode_stream(lines, vocab):
    out = []
    for l in lines:
        out.extend(vocab.encode(l))
    return out
