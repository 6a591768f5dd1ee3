import argparse
from dataclasses import fields

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader

from net import GRUForecaster
from settings import Settings
from windows import Standardizer, WindowDataset, read_load


def parse():
    p = argparse.ArgumentParser()
    for f in fields(Settings):
        p.add_argument("--" + f.name.replace("_", "-"), type=f.type, default=f.default)
    return Settings(**vars(p.parse_args()))


@torch.no_grad()
def validate(model, loader, scaler):
    model.eval()
    err = []
    for xb, yb in loader:
        diff = (model(xb) - yb).abs().mean(0)
        err.append(diff * scaler.std["load_mw"])
    return torch.stack(err).mean(0)


def main():
    s = parse()
    torch.manual_seed(s.seed)
    df = read_load(s.csv)
    train_df, valid_df = df.iloc[:-s.valid_hours], df.iloc[-s.valid_hours - s.lookback:]
    scaler = Standardizer().fit(train_df, ["load_mw", "temp_c"])
    train_ds = WindowDataset(scaler.apply(train_df), s.lookback, s.horizon)
    valid_ds = WindowDataset(scaler.apply(valid_df), s.lookback, s.horizon)
    print("train windows", len(train_ds), "valid windows", len(valid_ds))

    train_dl = DataLoader(train_ds, batch_size=s.batch_size, shuffle=True)
    valid_dl = DataLoader(valid_ds, batch_size=s.batch_size)
    model = GRUForecaster(df.shape[1], s.hidden, s.horizon)
    opt = torch.optim.AdamW(model.parameters(), lr=s.lr)
    loss_fn = nn.SmoothL1Loss()

    for epoch in range(1, s.epochs + 1):
        model.train()
        losses = []
        for xb, yb in train_dl:
            opt.zero_grad()
            loss = loss_fn(model(xb), yb)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            losses.append(loss.item())
        mae = validate(model, valid_dl, scaler)
        print(f"epoch {epoch}  loss {np.mean(losses):.4f}  MAE {mae.mean():.1f} MW "
              f"(+1h {mae[0]:.1f}, +{s.horizon}h {mae[-1]:.1f})")
    torch.save(model.state_dict(), "gru.pt")


if __name__ == "__main__":
    main()
