import argparse
import random

import torch
from torch.utils.data import DataLoader

from sig.dataset import SignatureDataset
from sig.embed import StrokeEncoder
from sig.retrieval import embed_all, recall_at_1


def parse_args():
    p = argparse.ArgumentParser()
    p.add_argument("--dim", type=int, default=16)
    p.add_argument("--margin", type=float, default=0.3)
    p.add_argument("--epochs", type=int, default=4)
    p.add_argument("--batch-size", type=int, default=32)
    p.add_argument("--lr", type=float, default=3e-3)
    return p.parse_args()


def main():
    args = parse_args()
    random.seed(0)
    torch.manual_seed(0)
    sets = {s: SignatureDataset(s) for s in ("train", "val", "test")}
    loaders = {s: DataLoader(d, batch_size=args.batch_size, shuffle=s == "train") for s, d in sets.items()}
    print("sizes:", {s: len(d) for s, d in sets.items()})

    model = StrokeEncoder(args.dim)
    criterion = torch.nn.TripletMarginLoss(margin=args.margin)
    opt = torch.optim.Adam(model.parameters(), lr=args.lr)
    for epoch in range(args.epochs):
        model.train()
        total = 0.0
        for anchor, pos, neg in loaders["train"]:
            loss = criterion(model(anchor), model(pos), model(neg))
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
        print(f"epoch {epoch}: triplet loss {total / len(loaders['train']):.4f}", flush=True)
        print(f"         val R@1 {recall_at_1(*embed_all(model, loaders['val'])):.3f}", flush=True)
    print(f"test R@1 {recall_at_1(*embed_all(model, loaders['test'])):.3f}")


if __name__ == "__main__":
    main()
