"""count users / items and write the id maps used by train.py"""
import argparse
import json
from collections import Counter

import pandas as pd


ap = argparse.ArgumentParser()
ap.add_argument("--ratings", required=True)
ap.add_argument("--min-count", type=int, default=1)
ap.add_argument("--out", default="cache/vocab.json")
args = ap.parse_args()

df = pd.read_csv(args.ratings)
cnt = Counter(df["item"])
keep = [it for it, c in cnt.most_common() if c >= args.min_count]

# 0 is kept for padding in the history
item2id = {it: i for i, it in enumerate(keep, start=1)}
user2id = {u: i for i, u in enumerate(sorted(df["user"].unique()))}

with open(args.out, "w") as f:
    json.dump({"items": item2id, "users": user2id}, f)

print(f"[vocab] {args.ratings}: {len(df)} rows, {len(user2id)} users, {len(item2id)} items (dropped {len(cnt) - len(keep)})")
