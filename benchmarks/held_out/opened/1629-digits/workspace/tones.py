"""Fake spoken-digit clips: each digit is a fixed pair of tones plus noise."""
import numpy as np

RATE = 4000
PAIRS = [(300, 900), (350, 1100), (420, 800), (500, 1300), (560, 1000),
         (610, 1500), (680, 1250), (740, 1400), (810, 1600), (880, 1750)]


def clip(digit, rng, seconds=0.4):
    t = np.arange(int(RATE * seconds)) / RATE
    wave = sum(np.sin(2 * np.pi * f * t + rng.uniform(0, 6.28)) for f in PAIRS[digit])
    return (wave + 0.6 * rng.normal(size=t.size)).astype(np.float32)


def make_clips(n, seed):
    rng = np.random.default_rng(seed)
    digits = rng.integers(0, 10, n)
    return np.stack([clip(d, rng) for d in digits]), digits
