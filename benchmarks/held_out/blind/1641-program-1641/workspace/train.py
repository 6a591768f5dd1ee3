import argparse

import torch
import yaml
from torch.utils.data import DataLoader

from lesionseg.data import LesionSlices
from lesionseg.transforms import CenterCrop, RandomCropFlip
from lesionseg.unet import UNet


def dice_loss(logits, target, eps=1.0):
    p = torch.sigmoid(logits)
    inter = (p * target).sum(dim=(1, 2, 3))
    total = p.sum(dim=(1, 2, 3)) + target.sum(dim=(1, 2, 3))
    return 1 - ((2 * inter + eps) / (total + eps)).mean()


def loaders(cfg):
    d = cfg["data"]
    train = LesionSlices(d["n_train"], d["size"], d["lesion_radius"],
                         RandomCropFlip(cfg["train_crop"], cfg["seed"]), cfg["seed"])
    val = LesionSlices(d["n_val"], d["size"], d["lesion_radius"],
                       CenterCrop(cfg["val_crop"]), cfg["seed"] + 1)
    return (DataLoader(train, cfg["batch_size"], shuffle=True),
            DataLoader(val, cfg["batch_size"]))


@torch.no_grad()
def validate(model, loader):
    model.eval()
    losses = [dice_loss(model(x), y).item() for x, y in loader]
    return 1 - sum(losses) / len(losses)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--config", default="config.yaml")
    args = ap.parse_args()
    with open(args.config) as f:
        cfg = yaml.safe_load(f)
    torch.manual_seed(cfg["seed"])
    train_loader, val_loader = loaders(cfg)
    model = UNet(cfg["data"]["channels"], **cfg["model"])
    opt = torch.optim.AdamW(model.parameters(), lr=cfg["optim"]["lr"],
                            weight_decay=cfg["optim"]["weight_decay"])
    bce = torch.nn.BCEWithLogitsLoss()
    for epoch in range(1, cfg["optim"]["epochs"] + 1):
        model.train()
        running = 0.0
        for x, y in train_loader:
            logits = model(x)
            loss = bce(logits, y) + dice_loss(logits, y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            running += loss.item()
        print(f"epoch {epoch} train loss {running / len(train_loader):.4f}")
        print(f"epoch {epoch} val dice {validate(model, val_loader):.4f}")


if __name__ == "__main__":
    main()
