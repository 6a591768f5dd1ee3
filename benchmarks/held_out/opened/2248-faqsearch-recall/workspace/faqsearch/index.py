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
    p.add_argument("--save", required=True)
    args = p.parse_args()

    model = TwoTowers.restore(args.model, args.dim)
    rows = sorted(read(args.data, "answers"), key=lambda r: r["faq_id"])
    with torch.no_grad():
        vectors = model.answer([r["answer"] for r in rows]).numpy()
    np.save(args.save, vectors)
    print(f"index {vectors.shape} -> {args.save}")


if __name__ == "__main__":
    main()
