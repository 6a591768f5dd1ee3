import argparse

import torch
from torch.utils.data import DataLoader

from dataset import CellDataset, collate
from detector import GridDetector
from metrics import precision_recall


def parse_args():
    p = argparse.ArgumentParser()
    p.add_argument("--annotations", default="annotations.json")
    p.add_argument("--epochs", type=int, default=12)
    p.add_argument("--batch-size", type=int, default=8)
    p.add_argument("--lr", type=float, default=4e-3)
    p.add_argument("--eval-every", type=int, default=4)
    return p.parse_args()


args = parse_args()
torch.manual_seed(0)
train_set = CellDataset(args.annotations, "train")
test_set = CellDataset(args.annotations, "test")
print(len(train_set), "train pictures,", len(test_set), "test pictures")
train_loader = DataLoader(train_set, args.batch_size, shuffle=True, collate_fn=collate)
test_loader = DataLoader(test_set, args.batch_size, collate_fn=collate)
model = GridDetector()
opt = torch.optim.AdamW(model.parameters(), lr=args.lr)

for epoch in range(1, args.epochs + 1):
    model.train()
    total = 0.0
    for images, targets, _ in train_loader:
        loss = model.loss(model(images), targets)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item()
    line = f"epoch {epoch:2d} loss {total / len(train_loader):.4f}"
    if epoch % args.eval_every == 0:
        p, r = precision_recall(model, test_loader)
        line += f" precision {p:.3f} recall {r:.3f}"
    print(line)
