import json
import sys

import torch
from torch.utils.data import DataLoader

from tcn import TCNForecaster, pinball
from windows import make_datasets

torch.manual_seed(0)
torch.set_num_threads(1)


def evaluate(model, loader, scaler, median):
    model.eval()
    err = []
    with torch.no_grad():
        for past, known, y in loader:
            p = model(past, known)[..., median]
            err.append((scaler.inverse_target(p) - scaler.inverse_target(y)).abs())
    err = torch.cat(err)
    return err.mean().item(), err.mean(0)


def main(path):
    cfg = json.load(open(path))
    train_ds, val_ds, scaler = make_datasets(cfg)
    t = cfg["train"]
    print("windows: train", len(train_ds), "val", len(val_ds))
    train_loader = DataLoader(train_ds, t["batch_size"], shuffle=True, drop_last=True)
    val_loader = DataLoader(val_ds, t["batch_size"])

    qs = t["quantiles"]
    model = TCNForecaster(train_ds.values.shape[1], cfg["window"]["horizon"], len(qs), **cfg["model"])
    opt = torch.optim.Adam(model.parameters(), lr=t["lr"])
    for ep in range(t["epochs"]):
        model.train()
        running = 0.
        for past, known, y in train_loader:
            opt.zero_grad()
            loss = pinball(model(past, known), y, qs)
            loss.backward()
            opt.step()
            running += loss.item()
        mae, by_step = evaluate(model, val_loader, scaler, qs.index(0.5))
        print(f"[{ep}] pinball {running / len(train_loader):.4f}  val MAE {mae:.1f} MW (first h {by_step[0]:.1f}, last h {by_step[-1]:.1f})")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "config.json")
