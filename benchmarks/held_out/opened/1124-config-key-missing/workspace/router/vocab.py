import collections
import json
import re

import numpy as np

PAD, UNK = 0, 1


def words(text):
    return re.findall(r"[a-z]+", text.lower())


def fit_vocab(texts, max_tokens):
    counts = collections.Counter(w for t in texts for w in words(t))
    kept = [w for w, _ in counts.most_common(max_tokens - 2)]
    return {w: i for i, w in enumerate(kept, start=2)}


def encode(texts, vocab, length):
    out = np.full((len(texts), length), PAD, dtype="int32")
    for row, text in zip(out, texts):
        ids = [vocab.get(w, UNK) for w in words(text)][:length]
        row[: len(ids)] = ids
    return out


def read_jsonl(path):
    with open(path) as fh:
        return [json.loads(line) for line in fh if line.strip()]
