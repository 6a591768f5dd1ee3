import argparse
import json
from pathlib import Path

import torch

from .config import load_config
from .data import build_loaders
from .engine import build_optimizer, build_scheduler, evaluate, train_epoch
from .model import TexNet


def parse_args():
    p = argparse.ArgumentParser("texnet")
    p.add_argument("--config", default="configs/base.yaml")
    p.add_argument("overrides", nargs="*", help="dotted.key=value")
    return p.parse_args()


def main():
    args = parse_args()
    cfg = load_config(args.config, args.overrides)
    torch.manual_seed(cfg.seed)
    out = Path(cfg.output_dir)
    out.mkdir(parents=True, exist_ok=True)
    print("config:", json.dumps(cfg))

    train_loader, val_loader = build_loaders(cfg.data, cfg.seed)
    print(f"train {len(train_loader.dataset)} images, val {len(val_loader.dataset)} images")

    model = TexNet(len(cfg.data.classes), **cfg.model)
    print(f"model has {sum(p.numel() for p in model.parameters())} parameters")
    optimizer = build_optimizer(cfg.optim, model.parameters())
    scheduler = build_scheduler(cfg.optim, optimizer, len(train_loader))

    best = 0.0
    for epoch in range(cfg.optim.epochs):
        train_epoch(model, train_loader, optimizer, scheduler, epoch, cfg.log.every)
        acc = evaluate(model, val_loader)
        best = max(best, acc)
        print(f"[epoch {epoch}] val acc {acc:.3f} (best {best:.3f})")
    (out / "metrics.json").write_text(json.dumps({"best": best}))


if __name__ == "__main__":
    main()
