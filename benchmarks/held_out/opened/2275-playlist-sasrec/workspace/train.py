import argparse

import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader

from seqrec.dataset import NextSong
from seqrec.meta import Meta, load_sequences
from seqrec.sasrec import SASRec


@torch.no_grad()
def hit_rate(model, dataset, k=10):
    model.eval()
    hits = 0
    for history, target in DataLoader(dataset, batch_size=64):
        top = model(history)[:, -1].topk(k).indices
        hits += (top == target[:, -1:]).any(dim=1).sum().item()
    return hits / len(dataset)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--build", default="build")
    p.add_argument("--max-len", type=int, default=12)
    p.add_argument("--epochs", type=int, default=6)
    p.add_argument("--lr", type=float, default=5e-3)
    args = p.parse_args()
    torch.manual_seed(0)

    meta = Meta.load(args.build)
    sequences = load_sequences(args.build)
    train_set = NextSong(sequences, meta.song2idx, args.max_len, train=True)
    test_set = NextSong(sequences, meta.song2idx, args.max_len, train=False)

    model = SASRec(meta.n_items, args.max_len)
    opt = torch.optim.Adam(model.parameters(), lr=args.lr)
    for epoch in range(1, args.epochs + 1):
        model.train()
        total = 0.0
        for history, target in DataLoader(train_set, batch_size=32, shuffle=True):
            logits = model(history)
            loss = F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=0)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(history)
        print(f"epoch {epoch}: loss {total / len(train_set):.3f}  hit@10 {hit_rate(model, test_set):.3f}")


if __name__ == "__main__":
    main()
