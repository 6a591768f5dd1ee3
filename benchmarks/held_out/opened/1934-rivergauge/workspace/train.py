import sys

import numpy as np
import torch
import yaml
from sklearn.metrics import mean_absolute_error, root_mean_squared_error
from torch.utils.data import DataLoader

from data import Standardizer, Windows, read_gauges
from model import StageLSTM


def predict(model, loader):
    model.eval()
    ys, ps = [], []
    with torch.no_grad():
        for x, y in loader:
            ps.append(model(x).numpy())
            ys.append(y.numpy())
    return np.concatenate(ys), np.concatenate(ps)


def report(y, p, scaler, target):
    y = scaler.undo(y, target)
    p = scaler.undo(p, target)
    mae = mean_absolute_error(y, p)
    rmse = root_mean_squared_error(y, p)
    nse = 1 - ((y - p) ** 2).sum() / ((y - y.mean()) ** 2).sum()
    print(f"held-out hours: MAE {mae:.3f} m  RMSE {rmse:.3f} m  NSE {nse:.3f}")


def main(path):
    with open(path) as f:
        cfg = yaml.safe_load(f)
    torch.manual_seed(cfg["seed"])

    df = read_gauges(cfg)
    print(f"{len(df)} hourly rows, {df['gauge'].nunique()} gauges")
    scaler = Standardizer().fit(df[~df["held_out"]], cfg["features"])
    df = scaler(df)
    train_set = Windows(df[~df["held_out"]], cfg)
    val_set = Windows(df[df["held_out"]], cfg)
    print(f"windows: {len(train_set)} train, {len(val_set)} held out")
    train_loader = DataLoader(train_set, cfg["batch_size"], shuffle=True)
    val_loader = DataLoader(val_set, cfg["batch_size"])

    model = StageLSTM(len(cfg["features"]), cfg["hidden"], cfg["layers"])
    opt = torch.optim.Adam(model.parameters(), lr=cfg["lr"])
    loss_fn = torch.nn.SmoothL1Loss()
    for epoch in range(1, cfg["epochs"] + 1):
        model.train()
        losses = []
        for x, y in train_loader:
            opt.zero_grad()
            loss = loss_fn(model(x), y)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            losses.append(loss.item())
        print(f"epoch {epoch}: loss {np.mean(losses):.4f}")

    y, p = predict(model, val_loader)
    report(y, p, scaler, cfg["target"])


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "config.yaml")
