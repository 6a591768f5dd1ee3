"""Scores a checkpoint from train.py on a labelled csv and prints a confusion matrix."""
import argparse

import torch

from model import ReviewClassifier
from text import LABELS, make_batch, read_reviews


def load_model(path):
    ckpt = torch.load(path, map_location="cpu")
    print(f"checkpoint {path}: epoch {ckpt['epoch']}, hparams {ckpt['hparams']}")
    model = ReviewClassifier(**ckpt["hparams"])
    model.load_state_dict(ckpt)
    model.eval()
    return model, ckpt["vocab"]


@torch.no_grad()
def confusion(model, vocab, rows, batch_size=64):
    cm = torch.zeros(len(LABELS), len(LABELS), dtype=torch.long)
    for i in range(0, len(rows), batch_size):
        tokens, lengths, y = make_batch(rows[i : i + batch_size], vocab)
        pred = model(tokens, lengths).argmax(-1)
        for t, p in zip(y.tolist(), pred.tolist()):
            cm[t, p] += 1
    return cm


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--ckpt", default="checkpoints/last.pt")
    ap.add_argument("--csv", default="data/test.csv")
    args = ap.parse_args()
    model, vocab = load_model(args.ckpt)
    rows = read_reviews(args.csv)
    cm = confusion(model, vocab, rows)
    print(f"{len(rows)} reviews, accuracy {cm.trace().item() / len(rows):.3f}")
    print(" " * 10 + "".join(f"{c:>10}" for c in LABELS))
    for name, row in zip(LABELS, cm.tolist()):
        print(f"{name:>10}" + "".join(f"{v:>10}" for v in row))


if __name__ == "__main__":
    main()
