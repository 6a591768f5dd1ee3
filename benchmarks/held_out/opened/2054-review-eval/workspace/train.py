"""Trains the review classifier and writes checkpoints/last.pt"""
import argparse
import random
from pathlib import Path

import torch
import torch.nn.functional as F

from model import ReviewClassifier
from text import build_vocab, make_batch, read_reviews

ap = argparse.ArgumentParser()
ap.add_argument("--train-csv", default="data/train.csv")
ap.add_argument("--ckpt", type=Path, default=Path("checkpoints/last.pt"))
ap.add_argument("--hidden", type=int, default=24)
ap.add_argument("--emb-dim", type=int, default=24)
ap.add_argument("--epochs", type=int, default=8)
ap.add_argument("--lr", type=float, default=5e-3)
args = ap.parse_args()
random.seed(0)
torch.manual_seed(0)

rows = read_reviews(args.train_csv)
vocab = build_vocab(rows)
model = ReviewClassifier(len(vocab), args.emb_dim, args.hidden)
opt = torch.optim.Adam(model.parameters(), lr=args.lr)
for epoch in range(1, args.epochs + 1):
    model.train()
    random.shuffle(rows)
    total = 0.0
    for i in range(0, len(rows), 32):
        tokens, lengths, y = make_batch(rows[i : i + 32], vocab)
        loss = F.cross_entropy(model(tokens, lengths), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() * len(y)
    print(f"epoch {epoch} loss {total / len(rows):.4f}")

args.ckpt.parent.mkdir(exist_ok=True)
torch.save(
    {
        "state_dict": model.state_dict(),
        "hparams": {"vocab_size": len(vocab), "emb_dim": args.emb_dim, "hidden": args.hidden},
        "vocab": vocab,
        "epoch": epoch,
    },
    args.ckpt,
)
print("saved", args.ckpt)
