"""Make the toy recordings (16-bit wav) and their manifest."""
import csv
import wave

import numpy as np

rng = np.random.default_rng(4)
SR = 2000
rows = []
for i in range(36):
    lab = ["hum", "beep", "click"][i % 3]
    n = int(SR * rng.uniform(0.25, 0.5))
    t = np.arange(n) / SR
    if lab == "hum":
        s = 0.5 * np.sin(2 * np.pi * rng.uniform(50, 90) * t)
    elif lab == "beep":
        s = 0.5 * np.sin(2 * np.pi * rng.uniform(500, 800) * t)
    else:
        s = np.zeros(n)
        s[:: int(rng.integers(90, 160))] = 0.9
    s += 0.03 * rng.normal(size=n)
    if i == 18:
        s[: n // 2] = 0.0  # microphone opened late
    name = f"rec_{i:03d}.wav"
    with wave.open(f"audio/{name}", "wb") as w:
        w.setnchannels(1)
        w.setsampwidth(2)
        w.setframerate(SR)
        w.writeframes((np.clip(s, -1, 1) * 32767).astype("<i2").tobytes())
    rows.append([name, SR, n, lab, "valid" if i % 4 == 3 else "train"])
with open("manifest.csv", "w", newline="") as fh:
    csv.writer(fh).writerows([["file", "rate", "frames", "label", "split"]] + rows)
