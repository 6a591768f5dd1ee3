import argparse
import random

import numpy as np
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader

from dataset import LeafDataset
from model import LeafNet


def get_args():
    p = argparse.ArgumentParser(description="Leaf species classifier")
    p.add_argument("--data", default="data")
    p.add_argument("--csv", default="labels.csv")
    p.add_argument("--epochs", type=int, default=3)
    p.add_argument("--batch-size", type=int, default=8)
    p.add_argument("--lr", type=float, default=1e-3)
    p.add_argument("--size", type=int, default=48)
    p.add_argument("--eval-split", default="val")
    p.add_argument("--seed", type=int, default=7)
    return p.parse_args()


def set_seed(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def train_one_epoch(model, loader, optimizer):
    model.train()
    running = 0.0
    for images, labels in loader:
        optimizer.zero_grad()
        logits = model(images)
        loss = F.cross_entropy(logits, labels)
        loss.backward()
        optimizer.step()
        running += loss.item() * images.size(0)
    return running / len(loader.dataset)


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    correct, total, loss_sum = 0, 0, 0.0
    for images, labels in loader:
        logits = model(images)
        loss_sum += F.cross_entropy(logits, labels, reduction="sum").item()
        correct += (logits.argmax(1) == labels).sum().item()
        total += labels.size(0)
    return loss_sum / total, correct / total


def main():
    args = get_args()
    set_seed(args.seed)

    train_set = LeafDataset(args.data, args.csv, "train", args.size, augment=True)
    eval_set = LeafDataset(args.data, args.csv, args.eval_split, args.size)
    print(f"{len(train_set.classes)} species: {train_set.classes}")

    train_loader = DataLoader(train_set, batch_size=args.batch_size, shuffle=True)
    eval_loader = DataLoader(eval_set, batch_size=args.batch_size)

    model = LeafNet(len(train_set.classes))
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=1e-4)

    best = 0.0
    for epoch in range(1, args.epochs + 1):
        train_loss = train_one_epoch(model, train_loader, optimizer)
        val_loss, val_acc = evaluate(model, eval_loader)
        print(f"epoch {epoch:02d}  train {train_loss:.4f}  val {val_loss:.4f}  acc {val_acc:.3f}")
        if val_acc >= best:
            best = val_acc
            torch.save(model.state_dict(), "best.pt")
    print(f"best accuracy {best:.3f}")


if __name__ == "__main__":
    main()
