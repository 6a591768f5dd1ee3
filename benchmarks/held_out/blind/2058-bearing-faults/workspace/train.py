import argparse

import torch
import torch.nn.functional as F
import yaml
from torch.utils.data import DataLoader

from bearing.model import FaultNet
from bearing.signals import load_recordings
from bearing.windows import WindowDataset


def run_epoch(model, loader, opt=None):
    model.train(opt is not None)
    total, correct, n = 0.0, 0, 0
    with torch.set_grad_enabled(opt is not None):
        for x, y in loader:
            logits = model(x)
            loss = F.cross_entropy(logits, y)
            if opt is not None:
                opt.zero_grad()
                loss.backward()
                opt.step()
            total += loss.item() * len(y)
            correct += (logits.argmax(1) == y).sum().item()
            n += len(y)
    return total / n, correct / n


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--config", default="config.yaml")
    args = ap.parse_args()
    with open(args.config) as f:
        cfg = yaml.safe_load(f)
    torch.manual_seed(cfg["seed"])

    recs = load_recordings(cfg["data"], cfg["seed"])
    cut = int(0.75 * len(recs))
    train = WindowDataset(recs[:cut], cfg["data"])
    val = WindowDataset(recs[cut:], cfg["data"])
    print(f"{len(recs)} recordings -> {len(train)} train / {len(val)} val windows")

    bs = cfg["train"]["batch_size"]
    train_dl = DataLoader(train, batch_size=bs, shuffle=True)
    val_dl = DataLoader(val, batch_size=bs)

    model = FaultNet(len(cfg["data"]["channels"]), len(cfg["data"]["classes"]), **cfg["model"])
    opt = torch.optim.AdamW(model.parameters(), lr=cfg["train"]["lr"],
                            weight_decay=cfg["train"]["weight_decay"])
    for ep in range(cfg["train"]["epochs"]):
        tr_loss, tr_acc = run_epoch(model, train_dl, opt)
        va_loss, va_acc = run_epoch(model, val_dl)
        print(f"epoch {ep}: train {tr_loss:.3f}/{tr_acc:.2f}  val {va_loss:.3f}/{va_acc:.2f}")


if __name__ == "__main__":
    main()
