import argparse
from pathlib import Path

import numpy as np

from spamlib.logreg import sigmoid


def load_scorer(run_dir):
    m = np.load(Path(run_dir) / "model.npz")
    mean, comps, w, b = m["mean"], m["components"], m["w"], float(m["b"])
    return lambda X: sigmoid((X - mean) @ comps.T @ w + b)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--features", required=True)
    ap.add_argument("--run-dir", required=True)
    ap.add_argument("--threshold", type=float, default=0.5)
    args = ap.parse_args()
    d = np.load(args.features)
    score = load_scorer(args.run_dir)
    pred = score(d["X_test"]) > args.threshold
    y = d["y_test"] > 0.5
    tp, fp, fn = (pred & y).sum(), (pred & ~y).sum(), (~pred & y).sum()
    print(f"accuracy {np.mean(pred == y):.3f}  precision {tp / max(tp + fp, 1):.3f}  recall {tp / max(tp + fn, 1):.3f}")


if __name__ == "__main__":
    main()
