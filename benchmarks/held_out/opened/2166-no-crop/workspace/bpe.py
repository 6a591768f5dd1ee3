"""A small byte-pair tokenizer working on words with an end-of-word mark."""
import json
import re
from collections import Counter

EOW = "</w>"
SPECIALS = ["<pad>", "<bos>", "<eos>", "<unk>"]


def words_of(text):
    return re.findall(r"\w+|[^\w\s]", text.lower())


class BPE:
    def __init__(self, merges=None, vocab=None):
        self.merges = merges or {}
        self.vocab = vocab or {}
        self._memo = {}

    @property
    def inverse(self):
        return {i: t for t, i in self.vocab.items()}

    def __len__(self):
        return len(self.vocab)

    def fit(self, lines, n_merges):
        freq = Counter(w for line in lines for w in words_of(line))
        splits = {w: list(w) + [EOW] for w in freq}
        for rank in range(n_merges):
            pairs = Counter()
            for w, parts in splits.items():
                for pair in zip(parts, parts[1:]):
                    pairs[pair] += freq[w]
            if not pairs:
                break
            best = pairs.most_common(1)[0][0]
            self.merges[best] = rank
            splits = {w: self._join(parts, best) for w, parts in splits.items()}
        symbols = sorted({p for parts in splits.values() for p in parts} | {c for w in freq for c in w})
        self.vocab = {t: i for i, t in enumerate(SPECIALS + symbols)}
        return self

    @staticmethod
    def _join(parts, pair):
        out, i = [], 0
        while i < len(parts):
            if i + 1 < len(parts) and (parts[i], parts[i + 1]) == pair:
                out.append(parts[i] + parts[i + 1])
                i += 2
            else:
                out.append(parts[i])
                i += 1
        return out

    def _split(self, word):
        if word in self._memo:
            return self._memo[word]
        parts = list(word) + [EOW]
        while len(parts) > 1:
            ranked = [(self.merges[p], p) for p in zip(parts, parts[1:]) if p in self.merges]
            if not ranked:
                break
            parts = self._join(parts, min(ranked)[1])
        self._memo[word] = parts
        return parts

    def encode(self, text):
        unk = self.vocab["<unk>"]
        ids = [self.vocab.get(p, unk) for w in words_of(text) for p in self._split(w)]
        return [self.vocab["<bos>"]] + ids + [self.vocab["<eos>"]]

    def decode(self, ids):
        inv = self.inverse
        text = "".join(inv[i] for i in ids if inv[i] not in SPECIALS)
        return text.replace(EOW, " ").strip()

    def save(self, path):
        blob = {"merges": [[a, b, r] for (a, b), r in self.merges.items()], "vocab": self.vocab}
        with open(path, "w") as fh:
            json.dump(blob, fh)

    @classmethod
    def load(cls, path):
        with open(path) as fh:
            blob = json.load(fh)
        merges = {(a, b): r for a, b, r in blob["merges"]}
        return cls(merges, blob["vocab"])
