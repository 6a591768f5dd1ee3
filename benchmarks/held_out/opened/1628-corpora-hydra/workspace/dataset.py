import csv
import logging
import re
from pathlib import Path

import numpy as np

log = logging.getLogger(__name__)
LABELS = {"neg": 0, "pos": 1}
TOKEN = re.compile(r"[a-z']+", re.IGNORECASE)


def tokenize(text, lowercase):
    return TOKEN.findall(text.lower() if lowercase else text)


class ReviewData:
    """Loads the TSV file, builds the vocabulary and padded id matrices."""

    def __init__(self, cfg):
        self.cfg = cfg
        path = Path(cfg.path)
        log.info("reading %s", path)
        with path.open(newline="") as f:
            rows = list(csv.DictReader(f, delimiter="\t"))
        tokens = [tokenize(r["text"], cfg.lowercase) for r in rows]
        labels = np.array([LABELS[r["label"]] for r in rows])

        val = np.arange(len(rows)) % cfg.val_every == 0
        words = sorted({w for t, v in zip(tokens, val) if not v for w in t})
        self.vocab = {w: i for i, w in enumerate(words, start=2)}
        ids = np.stack([self._pad(t) for t in tokens])
        self.train = ids[~val], labels[~val]
        self.val = ids[val], labels[val]

    @property
    def vocab_size(self):
        return len(self.vocab) + 2

    def _pad(self, tokens):
        row = np.zeros(self.cfg.max_len, np.int32)
        ids = [self.vocab.get(w, 1) for w in tokens][: self.cfg.max_len]
        row[: len(ids)] = ids
        return row
