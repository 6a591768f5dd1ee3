import sys

import numpy as np
import torch
import torch.nn.functional as F
import yaml
from torch.utils.data import DataLoader

from dataset import ShapesDataset
from unet import UNet


def dice_score(logits, mask, eps=1e-6):
    pred = (torch.sigmoid(logits) > 0.5).float().numpy()
    mask = mask.numpy()
    inter = (pred * mask).sum(axis=(1, 2, 3))
    total = pred.sum(axis=(1, 2, 3)) + mask.sum(axis=(1, 2, 3))
    return float(np.mean((2 * inter + eps) / (total + eps)))


def mean_iou(prob, mask, threshold=0.5):
    pred = prob > threshold
    true = mask > threshold
    inter = np.logical_and(pred, true).sum()
    union = np.logical_or(pred, true).sum()
    return inter / max(union, 1)


def main(path):
    with open(path) as f:
        cfg = yaml.safe_load(f)
    d, t = cfg["data"], cfg["train"]
    torch.manual_seed(t["seed"])

    train_ds = ShapesDataset(d["n_train"], d["size"], seed=t["seed"], train=d["augment"])
    val_ds = ShapesDataset(d["n_val"], d["size"], seed=t["seed"] + 1)
    train_dl = DataLoader(train_ds, batch_size=t["batch_size"], shuffle=True)
    val_dl = DataLoader(val_ds, batch_size=t["batch_size"])

    model = UNet(cfg["model"]["base_channels"])
    opt = torch.optim.Adam(model.parameters(), lr=t["lr"])

    for epoch in range(t["epochs"]):
        model.train()
        losses, ious = [], []
        for image, mask in train_dl:
            logits = model(image)
            loss = F.binary_cross_entropy_with_logits(logits, mask)
            opt.zero_grad()
            loss.backward()
            opt.step()
            losses.append(loss.item())
            ious.append(mean_iou(torch.sigmoid(logits).numpy(), mask.numpy()))
        model.eval()
        with torch.no_grad():
            dice = np.mean([dice_score(model(image), mask) for image, mask in val_dl])
        print(f"epoch {epoch}  loss {np.mean(losses):.4f}  train iou {np.mean(ious):.3f}  val dice {dice:.3f}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "config.yaml")
