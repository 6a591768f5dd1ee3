from __future__ import annotations

import argparse

import torch
from torch.utils.data import DataLoader

from shapeseg.config import load_config
from shapeseg.dataset import ShapesDataset
from shapeseg.losses import SegLoss
from shapeseg.metrics import ConfusionMatrix
from shapeseg.unet import UNet


def train_epoch(model, loader, criterion, optimizer) -> float:
    model.train()
    running = 0.0
    for x, y in loader:
        optimizer.zero_grad(set_to_none=True)
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        running += loss.item() * x.size(0)
    return running / len(loader.dataset)


@torch.no_grad()
def validate(model, loader, n_classes: int, ignore: int) -> torch.Tensor:
    model.eval()
    cm = ConfusionMatrix(n_classes, ignore)
    for x, y in loader:
        cm.update(model(x).argmax(dim=1), y)
    return cm.iou()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", default="configs/base.yaml")
    parser.add_argument("--set", nargs="*", default=[], metavar="SECTION.KEY=VALUE")
    args = parser.parse_args()
    cfg = load_config(args.config, args.set)
    torch.manual_seed(cfg["seed"])

    train_set, val_set = ShapesDataset(cfg, "train"), ShapesDataset(cfg, "val")
    bs = cfg["train"]["batch_size"]
    train_loader = DataLoader(train_set, batch_size=bs, shuffle=True, drop_last=True)
    val_loader = DataLoader(val_set, batch_size=bs)

    classes = cfg["data"]["classes"]
    m = cfg["model"]
    model = UNet(m["in_channels"], len(classes), m["width"], m["depth"], m["norm"])
    n_params = sum(p.numel() for p in model.parameters())
    print(f"{cfg['experiment']}: {len(train_set)} train / {len(val_set)} val, {n_params} parameters")

    criterion = SegLoss(cfg)
    optimizer = torch.optim.AdamW(
        model.parameters(), lr=cfg["train"]["lr"], weight_decay=cfg["train"]["weight_decay"]
    )
    for epoch in range(1, cfg["train"]["epochs"] + 1):
        loss = train_epoch(model, train_loader, criterion, optimizer)
        iou = validate(model, val_loader, len(classes), cfg["data"]["ignore_label"])
        per_class = "  ".join(f"{c}={v:.3f}" for c, v in zip(classes, iou.tolist()))
        print(f"epoch {epoch}  loss {loss:.4f}  mIoU {iou.mean():.3f}  {per_class}")


if __name__ == "__main__":
    main()
