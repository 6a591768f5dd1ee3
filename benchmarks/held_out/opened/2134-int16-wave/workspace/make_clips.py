"""Synthesise the toy command set used by the smoke test (tones instead of speech)."""
import csv

import numpy as np
from scipy.io import wavfile

SR = 4000
WORDS = {"up": (300, 900), "down": (900, 300), "stop": (500, 500), "go": (1200, 1500)}

rng = np.random.default_rng(11)
rows = []
for i in range(48):
    word = list(WORDS)[i % 4]
    f0, f1 = WORDS[word]
    n = int(rng.uniform(0.10, 0.18) * SR)
    sweep = np.linspace(f0, f1, n) * rng.uniform(0.95, 1.05)
    wave = 0.6 * np.sin(2 * np.pi * np.cumsum(sweep) / SR) + rng.normal(0, 0.02, n)
    name = f"clips/{word}_{i:03d}.wav"
    wavfile.write(name, SR, (wave * 32767).clip(-32768, 32767).astype(np.int16))
    rows.append((name, word, "test" if i >= 36 else "train"))
with open("manifest.csv", "w", newline="") as fh:
    writer = csv.writer(fh)
    writer.writerow(["path", "word", "split"])
    writer.writerows(rows)
