"""Turn the raw pick list into arrays + meta.json for training.

usage: python prepare.py --out work --min-picks 12
"""
import argparse
import json
from pathlib import Path

import numpy as np
import pandas as pd

NETWORKS = ["GR", "CH", "OE", "FR", "IV"]


def raw_picks(n=900, seed=5):
    rng = np.random.default_rng(seed)
    codes = [f"{NETWORKS[i % 5]}.S{i:02d}" for i in range(36)]
    weight = rng.pareto(1.0, len(codes)) + 0.1
    st = rng.choice(len(codes), size=n, p=weight / weight.sum())
    dist = rng.gamma(2.0, 40.0, n)
    depth = rng.uniform(2, 25, n)
    hyp = np.hypot(dist, depth)
    delay = rng.normal(0, 0.4, len(codes))
    t_p = hyp / 6.0 + delay[st] + rng.normal(0, 0.1, n)
    return pd.DataFrame({"station": np.array(codes)[st], "dist": dist, "depth": depth, "t_p": t_p})


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--out", type=Path, required=True)
    ap.add_argument("--min-picks", type=int, default=10)
    a = ap.parse_args()
    a.out.mkdir(parents=True, exist_ok=True)

    picks = raw_picks()
    picks["sid"] = picks["station"].astype("category").cat.codes
    counts = picks["station"].value_counts()
    picks = picks[picks["station"].map(counts) >= a.min_picks].reset_index(drop=True)

    mean = picks[["dist", "depth"]].mean()
    std = picks[["dist", "depth"]].std()
    x = ((picks[["dist", "depth"]] - mean) / std).to_numpy("float32")
    np.savez(a.out / "picks.npz", x=x, sid=picks["sid"].to_numpy("int64"), t=picks["t_p"].to_numpy("float32"))
    meta = {
        "n_picks": len(picks),
        "n_stations": int(picks["station"].nunique()),
        "mean": mean.round(4).to_dict(),
        "std": std.round(4).to_dict(),
    }
    (a.out / "meta.json").write_text(json.dumps(meta, indent=1))
    print(f"kept {len(picks)} picks from {meta['n_stations']} stations")


if __name__ == "__main__":
    main()
