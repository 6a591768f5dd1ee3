import argparse
import json

import torch
import torch.nn as nn
from sklearn.metrics import average_precision_score, f1_score
from torch.utils.data import DataLoader

from beats import Beats
from net import BeatNet


def run_epoch(model, loader, crit, opt):
    model.train()
    total = 0.0
    for x, y in loader:
        opt.zero_grad()
        loss = crit(model(x), y)
        loss.backward()
        opt.step()
        total += loss.item()
    return total / len(loader)


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    probs, ys = [], []
    for x, y in loader:
        probs.append(model(x).sigmoid())
        ys.append(y)
    p = torch.cat(probs).numpy()
    t = torch.cat(ys).numpy()
    return average_precision_score(t, p), f1_score(t, p > 0.5)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--cfg", default="cfg.json")
    ap.add_argument("--save", default=None)
    args = ap.parse_args()
    with open(args.cfg) as f:
        cfg = json.load(f)
    torch.manual_seed(cfg["seed"])

    val_rec = set(cfg["val_records"])
    train_ds = Beats(cfg, [r for r in range(cfg["n_records"]) if r not in val_rec])
    val_ds = Beats(cfg, sorted(val_rec))
    print(f"{len(train_ds)} train beats, {len(val_ds)} val beats")

    train_dl = DataLoader(train_ds, cfg["batch_size"], shuffle=True, drop_last=True)
    val_dl = DataLoader(val_ds, cfg["batch_size"])

    model = BeatNet(cfg["channels"], cfg["kernel"])
    crit = nn.BCEWithLogitsLoss(pos_weight=torch.tensor(cfg["pos_weight"]))
    opt = torch.optim.AdamW(model.parameters(), lr=cfg["lr"])
    best = 0.0
    for ep in range(cfg["epochs"]):
        loss = run_epoch(model, train_dl, crit, opt)
        ap_, f1 = evaluate(model, val_dl)
        print(f"epoch {ep}  loss {loss:.4f}  val AP {ap_:.3f}  F1 {f1:.3f}")
        if ap_ > best and args.save:
            torch.save(model.state_dict(), args.save)
        best = max(best, ap_)
    print("best AP", round(best, 3))


if __name__ == "__main__":
    main()
