"""Walk-forward forecast of the next days' log returns with a small LSTM.

usage: python forecast.py --csv XTC_daily.csv --window 30 --horizon 5
"""
import argparse
from dataclasses import dataclass, fields

import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.utils.data import Dataset, DataLoader


@dataclass
class Settings:
    csv: str = "XTC_daily.csv"
    window: int = 30
    horizon: int = 5
    hidden: int = 24
    batch_size: int = 32
    epochs: int = 4
    lr: float = 3e-3
    folds: int = 2
    test_days: int = 60
    seed: int = 7

    @classmethod
    def from_cli(cls):
        parser = argparse.ArgumentParser(description=__doc__)
        for f in fields(cls):
            parser.add_argument("--" + f.name.replace("_", "-"), type=f.type, default=f.default)
        return cls(**vars(parser.parse_args()))


def load_features(csv):
    df = pd.read_csv(csv, parse_dates=["Date"]).set_index("Date").sort_index()
    out = pd.DataFrame(index=df.index)
    out["ret"] = np.log(df["Close"]).diff()
    out["range"] = np.log(df["High"] / df["Low"])
    out["gap"] = np.log(df["Open"] / df["Close"].shift(1))
    out["volume"] = np.log1p(df["Volume"])
    out["vol20"] = out["ret"].rolling(20).std()
    out["mom10"] = out["ret"].rolling(10).sum()
    return out.dropna()


class WindowDataset(Dataset):
    def __init__(self, values, target, window, horizon):
        self.values = torch.tensor(values, dtype=torch.float32)
        self.target = torch.tensor(target, dtype=torch.float32)
        self.window = window
        self.horizon = horizon

    def __len__(self):
        return len(self.values) - self.window

    def __getitem__(self, i):
        end = i + self.window
        return self.values[i:end], self.target[end:end + self.horizon]


class ReturnLSTM(nn.Module):
    def __init__(self, n_features, hidden, horizon):
        super().__init__()
        self.lstm = nn.LSTM(n_features, hidden, batch_first=True)
        self.fc = nn.Linear(hidden, horizon)

    def forward(self, x):
        seq, _ = self.lstm(x)
        return self.fc(seq[:, -1])


def fit(model, loader, cfg, scale):
    opt = torch.optim.Adam(model.parameters(), lr=cfg.lr)
    loss_fn = nn.MSELoss()
    for epoch in range(cfg.epochs):
        model.train()
        losses = []
        for x, y in loader:
            opt.zero_grad()
            loss = loss_fn(model(x), y / scale)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            losses.append(loss.item())
        print(f"    epoch {epoch + 1}/{cfg.epochs}  mse {np.mean(losses):.4f}")


@torch.no_grad()
def evaluate(model, loader, scale):
    model.eval()
    pred, true = [], []
    for x, y in loader:
        pred.append(model(x) * scale)
        true.append(y)
    pred, true = torch.cat(pred), torch.cat(true)
    rmse = (pred - true).pow(2).mean().sqrt().item()
    hits = ((pred > 0) == (true > 0)).float().mean().item()
    return rmse, hits


def walk_forward(cfg):
    feats = load_features(cfg.csv)
    print(f"{len(feats)} days, {feats.shape[1]} features, {feats.index[0].date()} .. {feats.index[-1].date()}")
    n = len(feats)
    for fold in range(cfg.folds):
        test_end = n - (cfg.folds - 1 - fold) * cfg.test_days
        test_start = test_end - cfg.test_days
        past = feats.iloc[:test_start]
        mu, sd = past.mean(), past.std()
        scaled = ((feats - mu) / sd).to_numpy()
        target = feats["ret"].to_numpy()
        scale = float(past["ret"].std())
        train = WindowDataset(scaled[:test_start], target[:test_start], cfg.window, cfg.horizon)
        test = WindowDataset(scaled[test_start - cfg.window:test_end], target[test_start - cfg.window:test_end],
                             cfg.window, cfg.horizon)
        print(f"fold {fold}: {len(train)} training windows, {len(test)} test windows")
        model = ReturnLSTM(feats.shape[1], cfg.hidden, cfg.horizon)
        fit(model, DataLoader(train, cfg.batch_size, shuffle=True), cfg, scale)
        rmse, hits = evaluate(model, DataLoader(test, cfg.batch_size), scale)
        print(f"fold {fold}: rmse {rmse:.5f}  hit rate {hits:.3f}")


if __name__ == "__main__":
    settings = Settings.from_cli()
    torch.manual_seed(settings.seed)
    walk_forward(settings)
