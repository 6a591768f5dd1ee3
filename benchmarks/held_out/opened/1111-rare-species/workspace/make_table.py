"""Write data/plankton.csv: 12 shape descriptors per organism, unbalanced species."""
import csv
import random

random.seed(5)
species = {"copepod": 90, "diatom": 70, "dinoflagellate": 48, "rotifer": 36, "ciliate": 30, "nauplius": 22, "fish_egg": 9}
with open("data/plankton.csv", "w", newline="") as fh:
    out = csv.writer(fh)
    out.writerow(["sample_id", "species"] + [f"d{i:02d}" for i in range(12)])
    sid = 0
    for name, n in species.items():
        centre = [random.gauss(0, 1.2) for _ in range(12)]
        for _ in range(n):
            out.writerow([f"P{sid:04d}", name] + [f"{random.gauss(c, 0.8):.3f}" for c in centre])
            sid += 1
