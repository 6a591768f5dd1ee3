import argparse

import torch

from config import load_config
from data import CLASSES, make_loaders
from losses import SegLoss, mean_iou
from model import UNet


def evaluate(model, loader, cfg):
    model.eval()
    scores = []
    with torch.no_grad():
        for x, y in loader:
            pred = model(x).argmax(1)
            scores.append(
                mean_iou(pred, y, cfg["model"]["num_classes"], cfg["loss"]["ignore_index"])
            )
    return sum(scores) / len(scores)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", default="configs/shapes.yaml")
    args = parser.parse_args()

    cfg = load_config(args.config)
    torch.manual_seed(cfg["seed"])
    train_loader, val_loader = make_loaders(cfg)
    model = UNet(**cfg["model"])
    criterion = SegLoss(cfg["loss"])
    t = cfg["train"]
    optimizer = torch.optim.AdamW(
        model.parameters(), lr=t["lr"], weight_decay=t["weight_decay"]
    )
    n_params = sum(p.numel() for p in model.parameters())
    print(f"classes: {', '.join(CLASSES)} | parameters: {n_params:,}")
    print(f"train batches: {len(train_loader)} | val batches: {len(val_loader)}")

    for epoch in range(1, t["epochs"] + 1):
        model.train()
        running = 0.0
        for x, y in train_loader:
            loss = criterion(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            running += loss.item()
        miou = evaluate(model, val_loader, cfg)
        print(f"epoch {epoch}: loss {running / len(train_loader):.4f}  val mIoU {miou:.3f}")

    torch.save(model.state_dict(), "unet.pt")


if __name__ == "__main__":
    main()
