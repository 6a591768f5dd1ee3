"""Sessions of item names, one per line -> left-padded integer matrices. 0 is padding."""
import numpy as np


class Sessions:
    def __init__(self, path, max_len):
        with open(path) as f:
            raw = [line.split() for line in f if line.strip()]
        names = sorted({n for s in raw for n in s})
        self.index = {n: i for i, n in enumerate(names, start=1)}
        self.names = ["<pad>"] + names
        self.max_len = max_len
        self.seqs = [[self.index[n] for n in s] for s in raw if len(s) >= 3]

    @property
    def n_tokens(self):
        return len(self.index)

    def _pad(self, ids):
        ids = ids[-self.max_len:]
        return [0] * (self.max_len - len(ids)) + ids

    def train(self):
        x = np.array([self._pad(s[:-2]) for s in self.seqs], dtype=np.int32)
        y = np.array([self._pad(s[1:-1]) for s in self.seqs], dtype=np.int32)
        return x, y

    def test(self):
        x = np.array([self._pad(s[:-1]) for s in self.seqs], dtype=np.int32)
        return x, np.array([s[-1] for s in self.seqs], dtype=np.int32)
