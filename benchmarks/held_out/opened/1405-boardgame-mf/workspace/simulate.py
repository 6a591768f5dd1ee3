"""Creates ratings.csv. Game ids are catalogue numbers (not contiguous)."""
import numpy as np
import pandas as pd

rng = np.random.default_rng(21)
games = np.sort(rng.choice(np.arange(100, 600), size=60, replace=False))
U, V = rng.normal(size=(80, 3)), rng.normal(size=(60, 3))
rows = []
for u in range(80):
    for j in rng.choice(60, size=22, replace=False):
        r = 6.5 + 0.9 * U[u] @ V[j] + rng.normal(0, 0.5)
        rows.append((f"user{u:03d}", int(games[j]), int(np.clip(round(r), 1, 10))))
pd.DataFrame(rows, columns=["player", "game_id", "stars"]).to_csv("ratings.csv", index=False)
