import argparse

import numpy as np
import torch

from faqsearch.text import read
from faqsearch.towers import TwoTowers


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--data", required=True)
    p.add_argument("--dim", type=int, default=64)
    p.add_argument("--model", required=True)
    p.add_argument("--index", required=True)
    p.add_argument("-k", type=int, action="append", default=[])
    args = p.parse_args()

    model = TwoTowers.restore(args.model, args.dim)
    vectors = np.load(args.index)
    rows = read(args.data, "heldout")
    with torch.no_grad():
        q = model.question([r["question"] for r in rows]).numpy()
    ranking = np.argsort(-(q @ vectors.T), axis=1)
    gold = np.array([r["faq_id"] for r in rows])[:, None]
    for k in args.k:
        print(f"recall@{k}: {(ranking[:, :k] == gold).any(1).mean():.3f}")


if __name__ == "__main__":
    main()
