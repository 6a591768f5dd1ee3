import argparse
import random

import torch
import torch.nn as nn
from torch.utils.data import DataLoader

from crops import LABELS, SignCrops, read_annotations


class SignNet(nn.Module):
    def __init__(self, n_classes):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv2d(3, 12, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(12, 24, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(1),
            nn.Flatten(), nn.Linear(24, n_classes),
        )

    def forward(self, x):
        return self.net(x)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--annotations", default="data/annotations.csv")
    ap.add_argument("--epochs", type=int, default=4)
    ap.add_argument("--batch-size", type=int, default=16)
    args = ap.parse_args()
    torch.manual_seed(0)

    by_image = read_annotations(args.annotations)
    ids = sorted(by_image)
    random.Random(0).shuffle(ids)
    cut = int(0.8 * len(ids))
    train, test = SignCrops(by_image, ids[:cut]), SignCrops(by_image, ids[cut:])
    print(f"{len(ids)} images, {len(train)} train crops, {len(test)} test crops, labels {LABELS}")

    model = SignNet(len(LABELS))
    opt = torch.optim.Adam(model.parameters(), lr=5e-3)
    for epoch in range(args.epochs):
        model.train()
        seen, total = 0, 0.0
        for step, (x, y) in enumerate(DataLoader(train, batch_size=args.batch_size, shuffle=True)):
            loss = nn.functional.cross_entropy(model(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            seen, total = seen + len(y), total + loss.item() * len(y)
        model.eval()
        with torch.no_grad():
            ok = sum((model(x).argmax(1) == y).sum().item() for x, y in DataLoader(test, batch_size=32))
        print(f"epoch {epoch}: loss {total / seen:.3f} test acc {ok / len(test):.3f}", flush=True)


if __name__ == "__main__":
    main()
