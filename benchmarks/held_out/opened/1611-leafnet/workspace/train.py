import argparse

import torch
import torch.nn.functional as F
import yaml

from leafnet.data import CLASSES, make_loaders
from leafnet.model import LeafNet


def run_epoch(model, loader, optimizer=None):
    model.train(optimizer is not None)
    total, correct, seen = 0.0, 0, 0
    for images, labels in loader:
        logits = model(images)
        loss = F.cross_entropy(logits, labels)
        if optimizer is not None:
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        total += loss.item() * len(labels)
        correct += (logits.argmax(1) == labels).sum().item()
        seen += len(labels)
    return total / seen, correct / seen


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", default="config.yaml")
    args = parser.parse_args()
    with open(args.config) as f:
        cfg = yaml.safe_load(f)
    torch.manual_seed(cfg["seed"])

    train_loader, val_loader = make_loaders(cfg)
    model = LeafNet(**cfg["model"], image_size=cfg["data"]["crop"], n_classes=len(CLASSES))
    opt = torch.optim.AdamW(model.parameters(), lr=cfg["optim"]["lr"], weight_decay=cfg["optim"]["weight_decay"])
    print(f"{len(train_loader.dataset)} train / {len(val_loader.dataset)} val images, "
          f"{sum(p.numel() for p in model.parameters()):,} parameters")

    for epoch in range(1, cfg["optim"]["epochs"] + 1):
        loss, acc = run_epoch(model, train_loader, opt)
        print(f"epoch {epoch} train loss {loss:.4f} acc {acc:.3f}")
        with torch.no_grad():
            loss, acc = run_epoch(model, val_loader)
        print(f"epoch {epoch} val   loss {loss:.4f} acc {acc:.3f}")


if __name__ == "__main__":
    main()
