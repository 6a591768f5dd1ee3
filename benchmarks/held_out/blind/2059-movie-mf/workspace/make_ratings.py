"""Writes data/ratings.csv (user_id, item_id, rating, ts); small stand-in for the real dump."""
import csv
import random

random.seed(11)
N_USERS, N_ITEMS = 60, 90
u_f = [[random.gauss(0, 1) for _ in range(3)] for _ in range(N_USERS)]
i_f = [[random.gauss(0, 1) for _ in range(3)] for _ in range(N_ITEMS)]
rows = []
for t in range(1800):
    u = random.randrange(N_USERS)
    # catalogue grows with time
    i = random.randrange(min(N_ITEMS, 45 + t // 40))
    s = sum(a * b for a, b in zip(u_f[u], i_f[i]))
    r = min(5.0, max(1.0, round((3 + s + random.gauss(0, 0.3)) * 2) / 2))
    rows.append((u, i, r, 1_600_000_000 + 60 * t))
with open("data/ratings.csv", "w", newline="") as f:
    w = csv.writer(f)
    w.writerow(["user_id", "item_id", "rating", "ts"])
    w.writerows(rows)
print("wrote", len(rows), "ratings")
