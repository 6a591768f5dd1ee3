import argparse
import re
import zlib

import numpy as np


def hash_vector(text, dim):
    v = np.zeros(dim)
    toks = re.findall(r"\w+|[!£$%]", text.lower())
    for t in toks + [a + "_" + b for a, b in zip(toks, toks[1:])]:
        v[zlib.crc32(t.encode()) % dim] += 1.0
    return np.log1p(v)


ap = argparse.ArgumentParser()
ap.add_argument("--messages", required=True)
ap.add_argument("--out", required=True)
ap.add_argument("--hash-dim", type=int, default=512)
args = ap.parse_args()

labels, rows = [], []
with open(args.messages, encoding="utf-8") as f:
    for line in f:
        label, text = line.rstrip("\n").split("\t", 1)
        labels.append(label == "spam")
        rows.append(hash_vector(text, args.hash_dim))
X, y = np.stack(rows), np.array(labels, dtype=float)
test = np.arange(len(y)) % 4 == 3
np.savez_compressed(args.out, X_train=X[~test], y_train=y[~test], X_test=X[test], y_test=y[test])
print(f"{args.out}: {len(y)} messages, {int(y.sum())} spam, {X.shape[1]} hashed features")
