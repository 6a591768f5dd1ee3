import argparse
import json
import random

import torch
from torch.utils.data import DataLoader

from data_loading import CellDataset
from losses import CEDiceLoss
from unet import UNet


@torch.no_grad()
def mean_iou(net, loader, n_classes):
    net.eval()
    inter = torch.zeros(n_classes)
    union = torch.zeros(n_classes)
    for img, mask in loader:
        pred = net(img).argmax(1)
        for c in range(n_classes):
            p, m = pred == c, mask == c
            inter[c] += (p & m).sum()
            union[c] += (p | m).sum()
    return inter / union.clamp(min=1)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("-c", "--config", default="experiments/base.json")
    opts = parser.parse_args()
    cfg = json.load(open(opts.config))
    random.seed(0)
    torch.manual_seed(0)

    d = cfg["data"]
    train_set = CellDataset(d["root"], d["train_list"], d["crop"], augment=True)
    val_set = CellDataset(d["root"], d["val_list"])
    train_loader = DataLoader(train_set, cfg["batch_size"], shuffle=True)
    val_loader = DataLoader(val_set, 2)
    n_classes = len(d["classes"])
    net = UNet(cfg["net"]["in_channels"], n_classes, cfg["net"]["base"], cfg["net"]["depth"])
    criterion = CEDiceLoss(**cfg["loss"])
    optimizer = torch.optim.Adam(net.parameters(), lr=cfg["lr"])
    print(cfg["name"], "train", len(train_set), "val", len(val_set))
    for epoch in range(cfg["epochs"]):
        net.train()
        losses = []
        for img, mask in train_loader:
            optimizer.zero_grad()
            loss = criterion(net(img), mask)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        iou = mean_iou(net, val_loader, n_classes)
        named = " ".join(f"{n}={v:.3f}" for n, v in zip(d["classes"], iou.tolist()))
        print(f"[{epoch + 1}/{cfg['epochs']}] loss {sum(losses) / len(losses):.4f} IoU {named}")
