"""Synthetic spoken digits: every digit is a pair of tones (DTMF like) with noise and pauses.

Good enough to exercise the whole recipe without shipping audio.
"""
import numpy as np

LOW = [697, 770, 852, 941]
HIGH = [1209, 1336, 1477]
TONES = {str(d): (LOW[d // 3], HIGH[d % 3]) for d in range(10)}


def utterance(digits, sr, rng):
    chunks = [np.zeros(int(sr * rng.uniform(0.05, 0.1)))]
    for d in digits:
        n = int(sr * rng.uniform(0.18, 0.26))
        t = np.arange(n) / sr
        lo, hi = TONES[d]
        env = np.hanning(n) ** 0.3
        chunks.append(env * (np.sin(2 * np.pi * lo * t) + np.sin(2 * np.pi * hi * t)) * 0.4)
        chunks.append(np.zeros(int(sr * rng.uniform(0.06, 0.12))))
    wav = np.concatenate(chunks)
    return (wav + 0.02 * rng.standard_normal(len(wav))).astype(np.float32)


def make_corpus(n, cfg, sr, seed):
    rng = np.random.default_rng(seed)
    corpus = []
    for _ in range(n):
        k = rng.integers(cfg["min_digits"], cfg["max_digits"] + 1)
        text = "".join(str(d) for d in rng.integers(0, 10, size=k))
        corpus.append((utterance(text, sr, rng), text))
    return corpus
