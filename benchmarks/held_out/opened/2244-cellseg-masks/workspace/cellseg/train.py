import sys

import torch
import yaml
from torch.utils.data import DataLoader

from cellseg.data import CellFolder, split_names
from cellseg.losses import combined
from cellseg.unet import UNet


@torch.no_grad()
def mean_iou(model, loader, n_classes):
    model.eval()
    inter, union = torch.zeros(n_classes), torch.zeros(n_classes)
    for x, y in loader:
        pred = model(x).argmax(1)
        for k in range(n_classes):
            inter[k] += ((pred == k) & (y == k)).sum()
            union[k] += ((pred == k) | (y == k)).sum()
    return (inter / union.clamp(min=1)).tolist()


def main():
    with open(sys.argv[1]) as f:
        cfg = yaml.safe_load(f)
    torch.manual_seed(cfg["seed"])
    names = cfg["classes"]
    train_names, val_names = split_names(cfg["data_dir"])
    train = CellFolder(cfg["data_dir"], train_names, cfg["crop"], train=True)
    val = CellFolder(cfg["data_dir"], val_names, cfg["crop"], train=False)
    train_loader = DataLoader(train, cfg["batch_size"], shuffle=True)
    val_loader = DataLoader(val, 2)

    model = UNet(cfg["base_channels"], len(names))
    opt = torch.optim.Adam(model.parameters(), lr=cfg["lr"])
    for epoch in range(cfg["epochs"]):
        model.train()
        for x, y in train_loader:
            loss = combined(model(x), y, **cfg["loss"])
            opt.zero_grad()
            loss.backward()
            opt.step()
        ious = mean_iou(model, val_loader, len(names))
        print(f"epoch {epoch}: loss {loss.item():.3f} ", {n: round(v, 3) for n, v in zip(names, ious)})


if __name__ == "__main__":
    main()
