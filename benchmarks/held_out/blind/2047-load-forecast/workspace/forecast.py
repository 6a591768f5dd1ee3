import argparse

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader

from features import TARGET, Standardizer, add_calendar, fill_gaps, read_series
from windows import make_windows


class GRUForecaster(nn.Module):
    def __init__(self, n_features, hidden, horizon):
        super().__init__()
        self.gru = nn.GRU(n_features, hidden, batch_first=True)
        self.head = nn.Sequential(nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, horizon))

    def forward(self, x):
        _, h = self.gru(x)
        return self.head(h[-1])


def parse_args():
    p = argparse.ArgumentParser()
    p.add_argument("--csv", default="data/load_2023.csv")
    p.add_argument("--history", type=int, default=48)
    p.add_argument("--horizon", type=int, default=6)
    p.add_argument("--hidden", type=int, default=32)
    p.add_argument("--epochs", type=int, default=8)
    p.add_argument("--batch-size", type=int, default=64)
    p.add_argument("--lr", type=float, default=3e-3)
    return p.parse_args()


@torch.no_grad()
def evaluate(model, loader, scaler):
    model.eval()
    err, naive = [], []
    for x, y in loader:
        pred = scaler.inverse_target(model(x).numpy())
        true = scaler.inverse_target(y.numpy())
        last = scaler.inverse_target(x[:, -1:, 0].numpy())
        err.append(np.abs(pred - true).mean(1))
        naive.append(np.abs(last - true).mean(1))
    return np.concatenate(err).mean(), np.concatenate(naive).mean()


def main():
    args = parse_args()
    torch.manual_seed(0)
    df = add_calendar(fill_gaps(read_series(args.csv)))
    cut = int(0.8 * len(df))
    scaler = Standardizer().fit(df.iloc[:cut])
    scaled = scaler.transform(df)
    train = make_windows(scaled.iloc[:cut], TARGET, args.history, args.horizon)
    valid = make_windows(scaled.iloc[cut - args.history :], TARGET, args.history, args.horizon)
    print(f"{len(train)} training windows, {len(valid)} validation windows, features: {list(df.columns)}")

    train_dl = DataLoader(train, args.batch_size, shuffle=True)
    valid_dl = DataLoader(valid, 256)
    model = GRUForecaster(df.shape[1], args.hidden, args.horizon)
    opt = torch.optim.Adam(model.parameters(), lr=args.lr)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, args.epochs)
    loss_fn = nn.HuberLoss()
    for epoch in range(args.epochs):
        model.train()
        losses = []
        for x, y in train_dl:
            opt.zero_grad()
            loss = loss_fn(model(x), y)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            losses.append(loss.item())
        sched.step()
        mae, naive = evaluate(model, valid_dl, scaler)
        print(f"[{epoch + 1}/{args.epochs}] train huber {np.mean(losses):.4f}  valid MAE {mae:.2f} MW  (persistence {naive:.2f} MW)")


if __name__ == "__main__":
    main()
