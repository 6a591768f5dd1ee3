import argparse

import numpy as np
import torch
import yaml
from torch.utils.data import DataLoader

from weldseg.data import WeldDataset, class_histogram
from weldseg.losses import build_loss
from weldseg.unet import UNet


@torch.no_grad()
def mean_iou(model, loader, n_classes, void):
    model.eval()
    inter, union = torch.zeros(n_classes), torch.zeros(n_classes)
    for x, y in loader:
        pred = model(x).argmax(1)
        keep = y != void
        for c in range(n_classes):
            p, t = (pred == c) & keep, (y == c) & keep
            inter[c] += (p & t).sum()
            union[c] += (p | t).sum()
    return (inter / union.clamp(min=1)).tolist()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--config", default="configs/base.yaml")
    args = ap.parse_args()
    with open(args.config) as f:
        cfg = yaml.safe_load(f)

    torch.manual_seed(cfg["seed"])
    np.random.seed(cfg["seed"])
    torch.set_num_threads(1)

    d, o = cfg["data"], cfg["optim"]
    classes = d["classes"]
    train_ds = WeldDataset(d["n_train"], d, train=True, seed=cfg["seed"])
    val_ds = WeldDataset(d["n_val"], d, train=False, seed=cfg["seed"] + 1)
    freq = class_histogram(train_ds, len(classes))
    print(cfg["experiment"], {c: round(f.item(), 3) for c, f in zip(classes, freq)})

    train_dl = DataLoader(train_ds, batch_size=o["batch_size"], shuffle=True)
    val_dl = DataLoader(val_ds, batch_size=o["batch_size"])
    model = UNet(n_classes=len(classes), **cfg["model"])
    criterion = build_loss(cfg["loss"], len(classes))
    opt = torch.optim.AdamW(model.parameters(), lr=o["lr"], weight_decay=o["weight_decay"])

    for epoch in range(o["epochs"]):
        model.train()
        total = 0.0
        for x, y in train_dl:
            loss = criterion(model(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
        iou = mean_iou(model, val_dl, len(classes), d["void_label"])
        print(f"epoch {epoch}: loss {total / len(train_dl):.4f}  IoU " + " ".join(f"{c}={v:.2f}" for c, v in zip(classes, iou)))


if __name__ == "__main__":
    main()
