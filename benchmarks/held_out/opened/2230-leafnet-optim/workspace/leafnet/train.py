import argparse
from pathlib import Path

import torch
import torch.nn.functional as F
import yaml

from leafnet.data import make_loaders
from leafnet.model import LeafNet


def build_optimizer(model, cfg):
    decay = [p for p in model.parameters() if p.ndim > 1]
    other = [p for p in model.parameters() if p.ndim <= 1]
    groups = [
        {"params": decay, "weight_decay": cfg["weight_decay"]},
        {"params": other, "weight_decay": 0.0},
    ]
    if cfg["name"] == "adamw":
        return torch.optim.AdamW(groups, lr=cfg["lr"])
    if cfg["name"] == "sgd":
        return torch.optim.SGD(groups, lr=cfg["lr"], momentum=0.9)
    raise ValueError(f"unknown optimizer {cfg['name']!r}")


@torch.no_grad()
def accuracy(model, loader):
    model.eval()
    hit = total = 0
    for x, y in loader:
        hit += (model(x).argmax(1) == y).sum().item()
        total += len(y)
    return hit / total


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", type=Path, required=True)
    args = parser.parse_args()
    cfg = yaml.safe_load(args.config.read_text())

    torch.manual_seed(cfg["seed"])
    train_loader, val_loader = make_loaders(cfg["data"], cfg["seed"])
    print(f"{len(train_loader.dataset)} train / {len(val_loader.dataset)} val crops")

    model = LeafNet(**cfg["model"])
    optimizer = build_optimizer(model, cfg["optim"])
    warmup = cfg["optim"]["warmup_steps"]
    scheduler = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1.0, (step + 1) / warmup)
    )

    out = Path(cfg["output"]["dir"])
    out.mkdir(parents=True, exist_ok=True)
    for epoch in range(cfg["optim"]["epochs"]):
        model.train()
        running = 0.0
        for x, y in train_loader:
            loss = F.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            scheduler.step()
            running += loss.item()
        acc = accuracy(model, val_loader)
        print(f"epoch {epoch}: loss {running / len(train_loader):.3f}  val acc {acc:.3f}")
        if epoch % cfg["output"]["save_every"] == 0:
            torch.save(model.state_dict(), out / f"epoch{epoch}.pt")


if __name__ == "__main__":
    main()
