"""Toy part-of-speech data from a handful of sentence frames."""
import random

import numpy as np

LEX = {
    "DET": "the a this every some".split(),
    "ADJ": "small red quiet old heavy".split(),
    "NOUN": "dog table run watch street light".split(),
    "VERB": "sees likes run watch light paints".split(),
    "ADV": "often slowly never".split(),
}
FRAMES = ["DET NOUN VERB DET NOUN", "DET ADJ NOUN ADV VERB", "DET NOUN ADV VERB DET ADJ NOUN", "VERB DET ADJ NOUN"]
TAGS = ["<pad>"] + list(LEX)
WORDS = ["<pad>", "<unk>"] + sorted({w for ws in LEX.values() for w in ws})
MAX_LEN = 8


def sample(rng):
    tags = rng.choice(FRAMES).split()
    return [rng.choice(LEX[t]) for t in tags], tags


def arrays(n, seed):
    rng = random.Random(seed)
    x = np.zeros((n, MAX_LEN), np.int32)
    y = np.zeros((n, MAX_LEN), np.int32)
    for i in range(n):
        words, tags = sample(rng)
        x[i, : len(words)] = [WORDS.index(w) for w in words]
        y[i, : len(tags)] = [TAGS.index(t) for t in tags]
    return x, y
