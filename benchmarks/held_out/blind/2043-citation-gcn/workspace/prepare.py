"""Turn the raw citation dump into the npz that train_gcn.py reads.

raw/papers.tsv : paper_id <TAB> area <TAB> keywords (space separated)
raw/cites.tsv  : citing <TAB> cited
"""
import argparse
import csv
import json
from collections import Counter
from pathlib import Path

import numpy as np


def read_papers(path):
    ids, areas, words = [], [], []
    with open(path, newline="") as f:
        for row in csv.reader(f, delimiter="\t"):
            ids.append(row[0])
            areas.append(row[1])
            words.append(row[2].split())
    return ids, areas, words


def build_vocab(words, min_count):
    counts = Counter(w for ws in words for w in ws)
    return {w: i for i, w in enumerate(sorted(w for w, c in counts.items() if c >= min_count))}


def bag_of_words(words, vocab):
    x = np.zeros((len(words), len(vocab)), dtype=np.float32)
    for i, ws in enumerate(words):
        for w in ws:
            if w in vocab:
                x[i, vocab[w]] = 1.0
    return x / np.maximum(x.sum(1, keepdims=True), 1.0)


def read_edges(path, node_index):
    src, dst, skipped = [], [], 0
    with open(path) as f:
        for line in f:
            a, b = line.rstrip("\n").split("\t")
            if a not in node_index or b not in node_index:
                skipped += 1
                continue
            src.append(node_index[a])
            dst.append(node_index[b])
    return np.array([src, dst], dtype=np.int64), skipped


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--raw", type=Path, default=Path("raw"))
    ap.add_argument("--out", type=Path, default=Path("data/graph.npz"))
    ap.add_argument("--min-count", type=int, default=3)
    ap.add_argument("--train-frac", type=float, default=0.3)
    ap.add_argument("--seed", type=int, default=0)
    args = ap.parse_args()

    ids, areas, words = read_papers(args.raw / "papers.tsv")
    vocab = build_vocab(words, args.min_count)
    classes = sorted(set(areas))
    label_index = {c: i for i, c in enumerate(classes)}
    node_index = {pid: i for i, pid in enumerate(ids, start=1)}

    x = bag_of_words(words, vocab)
    y = np.array([label_index[a] for a in areas], dtype=np.int64)
    edges, skipped = read_edges(args.raw / "cites.tsv", node_index)

    rng = np.random.default_rng(args.seed)
    perm = rng.permutation(len(ids))
    n_train = int(args.train_frac * len(ids))
    train_mask = np.zeros(len(ids), dtype=bool)
    train_mask[perm[:n_train]] = True

    args.out.parent.mkdir(parents=True, exist_ok=True)
    np.savez(args.out, x=x, y=y, edge_index=edges, train_mask=train_mask)
    (args.out.parent / "classes.json").write_text(json.dumps(classes))
    print(f"nodes {len(ids)}  features {x.shape[1]}  edges {edges.shape[1]} (skipped {skipped})  classes {classes}")


if __name__ == "__main__":
    main()
