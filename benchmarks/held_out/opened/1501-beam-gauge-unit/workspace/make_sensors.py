"""Writes data/deflection.csv: readings of 24 displacement gauges (already in the repo)."""
import numpy as np

rng = np.random.default_rng(12)
L, q, EI = 4.0, 1.8, 1.3
x = np.sort(rng.uniform(0.1, 3.9, 24))
w = q * x**2 * (L - x) ** 2 / (24 * EI)
with open("data/deflection.csv", "w") as fh:
    fh.write("# gauge campaign 2025-04-11, units: m, mm*1e3\n")
    fh.write("gauge,x,w,quality\n")
    for i, (a, b) in enumerate(zip(x, w + rng.normal(0, 0.004, x.size))):
        fh.write(f"G{i + 1:02d},{a:.4f},{b:.5f},{'ok' if i % 9 else 'fair'}\n")
