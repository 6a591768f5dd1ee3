import argparse

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader

from points import SHAPES, Collator, ShapeClouds


class PointNet(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.local = nn.Sequential(
            nn.Conv1d(3, 64, 1), nn.BatchNorm1d(64), nn.ReLU(), nn.Conv1d(64, 256, 1), nn.BatchNorm1d(256), nn.ReLU()
        )
        self.head = nn.Sequential(nn.Linear(256, 64), nn.ReLU(), nn.Linear(64, classes))

    def forward(self, pts):
        return self.head(self.local(pts.transpose(1, 2)).amax(-1))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--workers", type=int, default=0)
    ap.add_argument("--points", type=int, default=256)
    ap.add_argument("--epochs", type=int, default=2)
    args = ap.parse_args()
    torch.manual_seed(0)
    device = torch.device("cuda", 0)
    model = PointNet(len(SHAPES)).to(device)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    loader = DataLoader(
        ShapeClouds(512), batch_size=32, shuffle=True, num_workers=args.workers,
        collate_fn=Collator(args.points, device), persistent_workers=args.workers > 0,
    )
    for epoch in range(args.epochs):
        correct = seen = 0
        for pts, label in loader:
            pts, label = pts.to(device), label.to(device)
            logits = model(pts)
            loss = F.cross_entropy(logits, label)
            opt.zero_grad()
            loss.backward()
            opt.step()
            correct += (logits.argmax(1) == label).sum().item()
            seen += len(label)
        print(f"epoch {epoch} loss {loss.item():.3f} acc {correct / seen:.3f}")


if __name__ == "__main__":
    main()
