import argparse
import os
import tomllib

import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader

from cells import CellDataset, split_names
from unet import UNet


def dice(logits, target, eps=1e-6):
    pred = logits.argmax(1)
    inter = ((pred == 1) & (target == 1)).sum().float()
    return (2 * inter + eps) / ((pred == 1).sum() + (target == 1).sum() + eps)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("-c", "--config", default="unet.toml")
    args = ap.parse_args()
    with open(args.config, "rb") as f:
        cfg = tomllib.load(f)
    data, tr = cfg["data"], cfg["train"]
    torch.manual_seed(tr["seed"])

    image_dir = os.path.join(data["root"], data["image_dir"])
    mask_dir = os.path.join(data["root"], data["mask_dir"])
    train_names, val_names = split_names(image_dir, data["val_fraction"], tr["seed"])
    print(f"{len(train_names)} training / {len(val_names)} validation images")

    train_ds = CellDataset(train_names, image_dir, mask_dir, data["image_size"])
    val_ds = CellDataset(val_names, image_dir, mask_dir, data["image_size"])
    train_dl = DataLoader(train_ds, tr["batch_size"], shuffle=True)
    val_dl = DataLoader(val_ds, tr["batch_size"])

    net = UNet(**cfg["model"])
    print("parameters:", sum(p.numel() for p in net.parameters()))
    opt = torch.optim.Adam(net.parameters(), lr=tr["lr"])

    for epoch in range(tr["epochs"]):
        net.train()
        for x, y in train_dl:
            logits = net(x)
            loss = F.cross_entropy(logits, y)
            opt.zero_grad()
            loss.backward()
            opt.step()
        net.eval()
        with torch.no_grad():
            scores = [dice(net(x), y).item() for x, y in val_dl]
        print(f"epoch {epoch + 1} loss {loss.item():.4f} val dice {sum(scores) / len(scores):.3f}")


if __name__ == "__main__":
    main()
