import argparse

import torch
import yaml
from torch.utils.data import DataLoader, random_split

from detector.data import ShapesDataset, detection_collate
from detector.loss import GridLoss
from detector.model import TinyDetector


def run_epoch(model, loader, criterion, optimizer=None):
    model.train(optimizer is not None)
    total, n = 0.0, 0
    for images, targets in loader:
        with torch.set_grad_enabled(optimizer is not None):
            pred = model(images)
            loss, parts = criterion(pred, targets)
        if optimizer is not None:
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            optimizer.step()
        total += loss.item() * len(images)
        n += len(images)
    return total / n, parts


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", default="configs/default.yaml")
    args = parser.parse_args()
    with open(args.config) as fh:
        cfg = yaml.safe_load(fh)
    torch.manual_seed(cfg["seed"])

    data_cfg, train_cfg = cfg["data"], cfg["train"]
    dataset = ShapesDataset(data_cfg["annotations"], cfg["classes"], data_cfg["image_size"])
    n_val = int(len(dataset) * data_cfg["val_fraction"])
    train_set, val_set = random_split(dataset, [len(dataset) - n_val, n_val])
    train_loader = DataLoader(train_set, train_cfg["batch_size"], shuffle=True, collate_fn=detection_collate)
    val_loader = DataLoader(val_set, train_cfg["batch_size"], collate_fn=detection_collate)

    model = TinyDetector(len(cfg["classes"]), **cfg["model"])
    criterion = GridLoss(image_size=data_cfg["image_size"], num_classes=len(cfg["classes"]), **cfg["loss"])
    optimizer = torch.optim.AdamW(model.parameters(), lr=train_cfg["lr"])
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, train_cfg["epochs"])
    print(f"{len(train_set)} train / {len(val_set)} val images, "
          f"{sum(p.numel() for p in model.parameters()):,} parameters")
    for epoch in range(1, train_cfg["epochs"] + 1):
        train_loss, _ = run_epoch(model, train_loader, criterion, optimizer)
        val_loss, parts = run_epoch(model, val_loader, criterion)
        scheduler.step()
        detail = " ".join(f"{k}={v:.3f}" for k, v in parts.items())
        print(f"epoch {epoch}: train {train_loss:.3f} val {val_loss:.3f} ({detail})")


if __name__ == "__main__":
    main()
