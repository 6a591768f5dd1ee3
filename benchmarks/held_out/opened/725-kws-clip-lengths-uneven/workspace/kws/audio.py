"""Stands in for reading wav files: every clip is synthesised from its manifest entry."""
import numpy as np

SAMPLE_RATE = 4000
TONES = {"yes": (400, 800), "no": (700, 350), "stop": (1100, 1100), "go": (500, 1500)}


def load_clip(entry):
    rng = np.random.default_rng(entry["seed"])
    n = int(entry["seconds"] * SAMPLE_RATE)
    f0, f1 = TONES[entry["word"]]
    freq = np.linspace(f0, f1, n) + rng.normal(0, 20)
    wave = np.sin(2 * np.pi * np.cumsum(freq) / SAMPLE_RATE)
    return (wave + rng.normal(0, 0.1, n)).astype(np.float32)


def fix_length(wave, n):
    if len(wave) < n:
        wave = np.pad(wave, (0, n - len(wave)))
    return wave
