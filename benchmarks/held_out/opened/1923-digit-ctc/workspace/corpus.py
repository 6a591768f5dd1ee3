"""Tone-coded digit strings, a stand-in for the real (licensed) digit recordings."""
import numpy as np

ROW = [350, 480, 610, 760]
COL = [1100, 1350, 1650]


def tone(digit, sr, rng):
    dur = rng.uniform(0.14, 0.20)
    t = np.arange(int(dur * sr)) / sr
    lo, hi = ROW[digit // 3], COL[digit % 3]
    wav = np.sin(2 * np.pi * lo * t) + 0.8 * np.sin(2 * np.pi * hi * t)
    return wav * np.hanning(len(t)) ** 0.3


def utterance(rng, sr):
    digits = rng.integers(0, 10, size=rng.integers(3, 7))
    parts = []
    for d in digits:
        parts.append(tone(int(d), sr, rng))
        parts.append(np.zeros(int(rng.uniform(0.08, 0.12) * sr)))
    wav = np.concatenate(parts)
    wav = wav + 0.02 * rng.standard_normal(len(wav))
    return wav.astype(np.float32), digits.tolist()


def build(n, sr, seed):
    rng = np.random.default_rng(seed)
    return [utterance(rng, sr) for _ in range(n)]
