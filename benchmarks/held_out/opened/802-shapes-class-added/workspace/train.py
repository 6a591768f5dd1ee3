import argparse

import torch
import torch.nn.functional as F

from datasets import build_loaders
from models import MiniResNet
from utils import AverageMeter, build_optimizer, load_config, set_seed


def train_one_epoch(model, loader, opt, epoch, log_every):
    model.train()
    meter = AverageMeter()
    for it, (x, y) in enumerate(loader):
        logits = model(x)
        loss = F.cross_entropy(logits, y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        meter.update(loss.item(), x.size(0))
        if it % log_every == 0:
            print(f"epoch {epoch} it {it:03d} loss {meter.avg:.4f}")
    return meter.avg


@torch.no_grad()
def evaluate(model, loader, classes):
    model.eval()
    correct = torch.zeros(len(classes))
    total = torch.zeros(len(classes))
    for x, y in loader:
        pred = model(x).argmax(1)
        for c in range(len(classes)):
            mask = y == c
            correct[c] += (pred[mask] == c).sum()
            total[c] += mask.sum()
    per_class = {n: round((correct[i] / total[i]).item(), 3) for i, n in enumerate(classes)}
    return (correct.sum() / total.sum()).item(), per_class


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--config", required=True)
    args = ap.parse_args()
    cfg = load_config(args.config)
    set_seed(cfg["seed"])

    train_loader, val_loader = build_loaders(cfg)
    m = cfg["model"]
    model = MiniResNet(m["width"], m["blocks"], m["num_classes"], m["dropout"])
    print(f"{cfg['exp_name']}: {sum(p.numel() for p in model.parameters())} params")
    opt, sched = build_optimizer(cfg, model.parameters())

    for epoch in range(cfg["train"]["epochs"]):
        loss = train_one_epoch(model, train_loader, opt, epoch, cfg["train"]["log_every"])
        acc, per_class = evaluate(model, val_loader, cfg["data"]["classes"])
        sched.step()
        print(f"==> epoch {epoch} train loss {loss:.4f} val acc {acc:.3f} {per_class}")


if __name__ == "__main__":
    main()
