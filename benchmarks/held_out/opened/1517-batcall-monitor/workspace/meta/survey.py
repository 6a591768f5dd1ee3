import csv
import random

random.seed(77)
SPECIES = {"Ppip": (45, 8), "Ppyg": (55, 7), "Nnoc": (20, 14), "Eser": (27, 11), "Mdau": (60, 4), "Bbar": (38, 5)}
with open("calls.csv", "w", newline="") as f:
    w = csv.writer(f)
    w.writerow(["file", "species", "fmin_khz", "duration_ms", "slope", "snr_db", "night"])
    for i in range(240):
        sp = random.choice(list(SPECIES))
        fm, du = SPECIES[sp]
        w.writerow([f"call_{i:03d}.wav", sp, round(random.gauss(fm, 1.5), 2), round(random.gauss(du, 0.8), 2),
                    round(random.gauss(-1.2 if sp != "Mdau" else -3.5, 0.3), 2), round(random.gauss(17, 4), 1), random.randint(1, 6)])
