"""Melodies as token sequences: scale walks with repeated motifs."""
import numpy as np

N_TOKENS = 26  # 24 pitches, 24 = rest, 25 = bar line


def motif(rng, start):
    steps = rng.choice([-2, -1, 0, 1, 2], size=4, p=[0.1, 0.3, 0.1, 0.3, 0.2])
    return np.clip(start + np.cumsum(steps), 0, 23)


def melody(rng, length):
    out = []
    m = motif(rng, rng.integers(6, 18))
    while len(out) < length:
        if rng.random() < 0.3:
            m = motif(rng, int(m[-1]))
        out.extend(m.tolist())
        out.append(24 if rng.random() < 0.1 else int(m[0]))
        out.append(25)
    return out[:length]


def corpus(n, length, seed):
    rng = np.random.default_rng(seed)
    return np.array([melody(rng, length) for _ in range(n)], dtype="int32")
