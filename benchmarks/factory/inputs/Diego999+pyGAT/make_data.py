"""Write a small citation network in the layout of Cora."""
import sys

import numpy as np

folder = sys.argv[1]
rng = np.random.default_rng(0)
nodes, words, classes = 1500, 40, ["Neural_Networks", "Theory", "Rule_Learning", "Case_Based"]
label = rng.integers(0, len(classes), nodes)
with open(f"{folder}/cora.content", "w") as f:
    for i in range(nodes):
        p = np.full(words, 0.05)
        p[label[i] * 10 : label[i] * 10 + 10] = 0.4
        bits = (rng.random(words) < p).astype(int)
        bits[rng.integers(words)] = 1
        f.write("\t".join([str(31336 + i), *map(str, bits), classes[label[i]]]) + "\n")
with open(f"{folder}/cora.cites", "w") as f:
    for _ in range(3000):
        a = rng.integers(nodes)
        same = np.flatnonzero(label == label[a])
        b = rng.choice(same) if rng.random() < 0.8 else rng.integers(nodes)
        f.write(f"{31336 + a}\t{31336 + b}\n")
