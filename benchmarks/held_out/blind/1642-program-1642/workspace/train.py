import argparse
import json
from pathlib import Path

import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

from model import SentimentEncoder


def read(path):
    with open(path) as f:
        return [json.loads(line) for line in f]


def collate(batch):
    ids = pad_sequence([torch.tensor(b["ids"]) for b in batch], batch_first=True)
    labels = torch.tensor([b["label"] for b in batch])
    return ids, ids == 0, labels


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--data", default="prepared")
    p.add_argument("--epochs", type=int, default=3)
    p.add_argument("--batch-size", type=int, default=32)
    p.add_argument("--lr", type=float, default=1e-3)
    args = p.parse_args()

    torch.manual_seed(0)
    data = Path(args.data)
    meta = json.loads((data / "meta.json").read_text())
    train = DataLoader(read(data / "train.jsonl"), args.batch_size, shuffle=True, collate_fn=collate)
    val = DataLoader(read(data / "val.jsonl"), 64, collate_fn=collate)

    model = SentimentEncoder(meta["vocab_size"], meta["max_len"], len(meta["classes"]))
    opt = torch.optim.AdamW(model.parameters(), lr=args.lr)
    loss_fn = nn.CrossEntropyLoss()
    for epoch in range(args.epochs):
        model.train()
        for ids, mask, labels in train:
            loss = loss_fn(model(ids, mask), labels)
            opt.zero_grad()
            loss.backward()
            opt.step()
        model.eval()
        with torch.no_grad():
            hits = sum((model(i, m).argmax(1) == y).sum().item() for i, m, y in val)
        print(f"epoch {epoch} loss {loss.item():.3f} val acc {hits / len(val.dataset):.3f}")


if __name__ == "__main__":
    main()
