"""One step ahead forecast of a daily load curve with an LSTM."""
import argparse

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


def make_series(n, rng):
    t = np.arange(n)
    daily = np.sin(2 * np.pi * t / 24)
    weekly = 0.4 * np.sin(2 * np.pi * t / (24 * 7))
    return (daily + weekly + rng.normal(0, 0.05, n)).astype(np.float32)


def windows(series, length):
    xs = np.stack([series[i : i + length] for i in range(len(series) - length)])
    ys = series[length:]
    return torch.from_numpy(xs).unsqueeze(-1), torch.from_numpy(ys.copy())


class Forecaster(nn.Module):
    def __init__(self, hidden_size=24, num_layers=1):
        super().__init__()
        self.lstm = nn.LSTM(1, hidden_size, num_layers, batch_first=True)
        self.head = nn.Linear(hidden_size, 1)

    def forward(self, x):
        out, _ = self.lstm(x)
        return self.head(out[:, -1])


def weighted_mse(pred, target, weight=1.0):
    return (weight * (pred - target) ** 2).mean()


def r2_score(pred, target):
    pred = pred.flatten().numpy()
    target = target.flatten().numpy()
    ss_res = ((target - pred) ** 2).sum()
    ss_tot = ((target - target.mean()) ** 2).sum()
    return 1 - ss_res / ss_tot


def evaluate(model, x, y):
    model.eval()
    with torch.no_grad():
        pred = model(x)
    return r2_score(pred, y), pred


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--window", type=int, default=24)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--lr", type=float, default=5e-3)
    parser.add_argument("--seed", type=int, default=7)
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)

    series = make_series(1600, rng)
    split = 1280
    mean, std = series[:split].mean(), series[:split].std()
    series = (series - mean) / std

    x_train, y_train = windows(series[:split], args.window)
    x_test, y_test = windows(series[split:], args.window)
    print("train", tuple(x_train.shape), tuple(y_train.shape))
    print("test ", tuple(x_test.shape), tuple(y_test.shape))

    loader = DataLoader(
        TensorDataset(x_train, y_train), batch_size=args.batch_size, shuffle=True
    )
    model = Forecaster()
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)

    for epoch in range(1, args.epochs + 1):
        model.train()
        losses = []
        for xb, yb in loader:
            optimizer.zero_grad()
            loss = weighted_mse(model(xb), yb)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            losses.append(loss.item())
        r2, _ = evaluate(model, x_test, y_test)
        print(f"epoch {epoch:2d} | train loss {np.mean(losses):.4f} | test R2 {r2:.4f}")

    _, pred = evaluate(model, x_test, y_test)
    print("first predictions:", np.round(pred.flatten()[:6].numpy(), 3))
    print("first targets    :", np.round(y_test.flatten()[:6].numpy(), 3))


if __name__ == "__main__":
    main()
