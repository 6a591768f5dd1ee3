"""Export of the district metered areas: junctions.csv, pipes.csv (one file for all zones)."""
import csv
import random

random.seed(8)
with open("junctions.csv", "w", newline="") as j, open("pipes.csv", "w", newline="") as p:
    jw, pw = csv.writer(j), csv.writer(p)
    jw.writerow(["zone", "junction", "elevation_m", "demand_lps", "pressure_bar"])
    pw.writerow(["zone", "src", "dst", "length_m", "diameter_mm", "material", "leak"])
    for z in range(24):
        n = random.randint(7, 14)
        elev = [random.uniform(20, 90) for _ in range(n)]
        for k in range(n):
            dem = random.uniform(0.2, 4)
            jw.writerow([f"Z{z:02d}", k, f"{elev[k]:.1f}", f"{dem:.2f}", f"{7 - 0.05 * elev[k] - 0.1 * dem + random.gauss(0, .1):.2f}"])
        edges = {(random.randrange(k), k) for k in range(1, n)}
        while len(edges) < n + 3:
            a, b = sorted(random.sample(range(n), 2))
            edges.add((a, b))
        for a, b in sorted(edges):
            mat = random.choice(["PE", "DI", "CI", "AC"])
            length, dia = random.uniform(30, 400), random.choice([80, 100, 150, 200])
            score = 1.4 * (mat in ("CI", "AC")) + length / 400 - abs(elev[a] - elev[b]) / 60 + random.gauss(0, 0.25)
            pw.writerow([f"Z{z:02d}", a, b, f"{length:.0f}", dia, mat, int(score > 1.1)])
