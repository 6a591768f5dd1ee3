import argparse
import random

import torch
import torch.nn.functional as F
import yaml
from torch.utils.data import DataLoader

from defectseg.data import CLASSES, load
from defectseg.model import SmallUNet


@torch.no_grad()
def mean_iou(model, loader):
    model.eval()
    inter = torch.zeros(len(CLASSES))
    union = torch.zeros(len(CLASSES))
    for image, target in loader:
        pred = model(image).argmax(1)
        for c in range(len(CLASSES)):
            p, t = pred == c, target == c
            inter[c] += (p & t).sum()
            union[c] += (p | t).sum()
    return (inter / union.clamp(min=1)).mean().item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", default="config.yaml")
    args = parser.parse_args()
    with open(args.config) as f:
        cfg = yaml.safe_load(f)
    tc = cfg["train"]
    torch.manual_seed(tc["seed"])
    random.seed(tc["seed"])

    train_set, val_set = load(
        cfg["data"]["tiles"], cfg["data"]["input_size"], cfg["data"]["val_fraction"], tc["seed"]
    )
    print(f"{len(train_set)} training tiles, {len(val_set)} validation tiles, classes: {CLASSES}")
    train_loader = DataLoader(train_set, batch_size=tc["batch_size"], shuffle=True)
    val_loader = DataLoader(val_set, batch_size=tc["batch_size"])

    model = SmallUNet(len(CLASSES), cfg["model"]["width"])
    weight = torch.tensor([0.3, 1.0, 1.0])
    optimizer = torch.optim.AdamW(model.parameters(), lr=tc["lr"])
    for epoch in range(tc["epochs"]):
        model.train()
        total = 0.0
        for image, target in train_loader:
            loss = F.cross_entropy(model(image), target, weight=weight)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        print(f"epoch {epoch} loss {total / len(train_loader):.4f} mIoU {mean_iou(model, val_loader):.3f}")


if __name__ == "__main__":
    main()
