import re
from collections import Counter

PAD, UNK = 0, 1
TOKEN = re.compile(r"[a-z]+|\d")


def tokenize(text):
    return TOKEN.findall(text.lower())


def build_vocab(texts, min_count):
    counts = Counter(tok for t in texts for tok in tokenize(t))
    kept = sorted(tok for tok, c in counts.items() if c >= min_count)
    return {"<pad>": PAD, "<unk>": UNK, **{tok: i + 2 for i, tok in enumerate(kept)}}


def encode(text, vocab):
    return [vocab.get(tok, UNK) for tok in tokenize(text)]
