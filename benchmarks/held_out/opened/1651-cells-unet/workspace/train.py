import argparse
import random

import torch
import yaml
from torch import nn
from torch.utils.data import DataLoader

from seg.data import CellDataset
from seg.metrics import MeanIoU
from seg.unet import UNet


def build_loaders(cfg, seed):
    n_val = int(cfg["num_images"] * cfg["val_fraction"])
    n_train = cfg["num_images"] - n_val
    train = CellDataset(n_train, cfg["image_size"], cfg["crop_size"], True, seed)
    val = CellDataset(n_val, cfg["image_size"], cfg["crop_size"], False, seed + 100)
    return (
        DataLoader(train, batch_size=cfg["batch_size"], shuffle=True, drop_last=True),
        DataLoader(val, batch_size=cfg["batch_size"]),
    )


def run_epoch(model, loader, criterion, optimizer):
    model.train()
    total = 0.0
    for images, masks in loader:
        optimizer.zero_grad()
        loss = criterion(model(images), masks)
        loss.backward()
        optimizer.step()
        total += loss.item()
    return total / len(loader)


@torch.no_grad()
def evaluate(model, loader, num_classes):
    model.eval()
    metric = MeanIoU(num_classes)
    for images, masks in loader:
        metric.update(model(images), masks)
    return metric.compute()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", default="configs/cells.yaml")
    args = parser.parse_args()
    with open(args.config) as f:
        cfg = yaml.safe_load(f)

    random.seed(cfg["run"]["seed"])
    torch.manual_seed(cfg["run"]["seed"])
    train_loader, val_loader = build_loaders(cfg["data"], cfg["run"]["seed"])
    model = UNet(**cfg["model"])
    n_params = sum(p.numel() for p in model.parameters())
    print(f"UNet depth={cfg['model']['depth']} params={n_params / 1e3:.1f}k "
          f"train={len(train_loader.dataset)} val={len(val_loader.dataset)}")

    criterion = nn.CrossEntropyLoss(weight=torch.tensor([0.3, 1.0, 1.5]))
    optimizer = torch.optim.AdamW(model.parameters(), **cfg["optim"])
    for epoch in range(cfg["run"]["epochs"]):
        loss = run_epoch(model, train_loader, criterion, optimizer)
        miou = evaluate(model, val_loader, cfg["model"]["num_classes"])
        print(f"epoch {epoch} loss {loss:.4f} mIoU {miou:.3f}")


if __name__ == "__main__":
    main()
