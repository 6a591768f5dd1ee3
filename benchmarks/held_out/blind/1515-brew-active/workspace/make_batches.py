"""batches.csv - lab sheet of a brewery: off-flavour found by the panel, with process data."""
import csv
import random

random.seed(31)
FAULTS = {"none": (0, 0, 0), "diacetyl": (1.5, 0, 0.4), "oxidised": (0, 1.6, -0.5), "sour": (-0.6, 0.4, 1.9), "sulphur": (-1.2, -1.1, 0.3)}
with open("batches.csv", "w", newline="") as f:
    w = csv.writer(f)
    w.writerow(["batch", "yeast", "tank", "ferm_temp", "o2_ppb", "ph", "days", "fault"])
    for i in range(520):
        fault = random.choices(list(FAULTS), [5, 3, 3, 2, 2])[0]
        a, b, c = FAULTS[fault]
        yeast = random.choice(["W34", "US05", "K97"])
        w.writerow([
            f"B{i:04d}", yeast, random.choice("ABCDEF"),
            round(12 + 2 * a + random.gauss(0, 1), 2), round(60 + 25 * b + random.gauss(0, 11), 1),
            round(4.5 - 0.2 * c + random.gauss(0, 0.09), 3),
            "" if random.random() < 0.04 else round(14 + 2 * a - b + random.gauss(0, 1.5)), fault,
        ])
