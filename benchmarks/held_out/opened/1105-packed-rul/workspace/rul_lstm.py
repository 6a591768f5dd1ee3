# Remaining-useful-life regression from variable-length sensor histories.
# Usage: rul_lstm.py [--units 60] [--epochs 4] ...
from __future__ import annotations

import argparse
import math
from dataclasses import dataclass, field

import numpy as np
import torch
import torch.nn as nn
from torch.nn.utils import rnn as rnn_utils
from torch.utils.data import DataLoader, Dataset, Subset


@dataclass
class Scaler:
    mean: np.ndarray | None = None
    std: np.ndarray | None = None

    def fit(self, arrays):
        stacked = np.concatenate(arrays, axis=0)
        self.mean, self.std = stacked.mean(0), stacked.std(0) + 1e-8
        return self

    def __call__(self, x):
        return (x - self.mean) / self.std


@dataclass
class History:
    unit: int
    sensors: np.ndarray      # (time, n_sensors)
    rul: float


@dataclass
class Meter:
    name: str
    values: list = field(default_factory=list)

    def add(self, v, n=1):
        self.values.append((float(v), n))

    @property
    def mean(self):
        s = sum(n for _, n in self.values)
        return sum(v * n for v, n in self.values) / max(s, 1)


def simulate_units(n_units, n_sensors=6, seed=11):
    rng = np.random.default_rng(seed)
    gains = rng.normal(size=n_sensors)
    histories = []
    for unit in range(n_units):
        life = rng.integers(60, 140)
        cut = int(life * rng.uniform(0.3, 0.95))
        t = np.arange(cut)
        wear = np.expm1(3.0 * t / life) / math.e ** 3
        noise = rng.normal(scale=0.05, size=(cut, n_sensors))
        cycle = np.sin(2 * np.pi * t / 24.0)[:, None] * 0.1
        sensors = wear[:, None] * gains + cycle + noise
        histories.append(History(unit, sensors.astype(np.float32), float(life - cut)))
    return histories


class HistoryDataset(Dataset):
    def __init__(self, histories, scaler, max_rul=100.0, stride=1):
        self.histories = histories
        self.scaler = scaler
        self.max_rul = max_rul
        self.stride = stride

    def __len__(self):
        return len(self.histories)

    def __getitem__(self, i):
        h = self.histories[i]
        x = torch.from_numpy(self.scaler(h.sensors)[:: self.stride].astype(np.float32))
        y = min(h.rul, self.max_rul) / self.max_rul
        return x, y


def pad_batch(samples):
    xs, ys = zip(*samples)
    lengths = torch.as_tensor([len(x) for x in xs])
    padded = rnn_utils.pad_sequence(xs, batch_first=True)
    return padded, lengths, torch.tensor(ys, dtype=torch.float32)


class AttentionPool(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.query = nn.Parameter(torch.randn(dim) / math.sqrt(dim))

    def forward(self, h, lengths):
        steps = torch.arange(h.size(1))
        mask = steps[None, :] < lengths[:, None]
        score = (h @ self.query).masked_fill(~mask, float("-inf"))
        return torch.einsum("bt,btd->bd", score.softmax(dim=1), h)


class RulLSTM(nn.Module):
    def __init__(self, n_sensors, hidden=32, layers=2, dropout=0.2):
        super().__init__()
        self.proj = nn.Linear(n_sensors, hidden)
        self.lstm = nn.LSTM(hidden, hidden, num_layers=layers, batch_first=True, dropout=dropout)
        self.pool = AttentionPool(hidden)
        self.out = nn.Sequential(nn.Linear(2 * hidden, hidden), nn.GELU(), nn.Linear(hidden, 1))

    def forward(self, x, lengths):
        x = torch.tanh(self.proj(x))
        packed = rnn_utils.pack_padded_sequence(x, lengths, batch_first=True)
        states, (h_n, _) = self.lstm(packed)
        states, out_lengths = rnn_utils.pad_packed_sequence(states, batch_first=True)
        pooled = self.pool(states, out_lengths)
        return self.out(torch.cat([pooled, h_n[-1]], dim=-1)).squeeze(-1)


@torch.no_grad()
def evaluate(model, loader, scale):
    model.eval()
    mae = Meter("mae")
    for x, lengths, y in loader:
        mae.add((model(x, lengths) - y).abs().mean() * scale, len(y))
    return mae.mean


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--units", type=int, default=96)
    ap.add_argument("--epochs", type=int, default=4)
    ap.add_argument("--batch-size", type=int, default=12)
    ap.add_argument("--lr", type=float, default=3e-3)
    ap.add_argument("--stride", type=int, default=2)
    opt = ap.parse_args()

    torch.manual_seed(0)
    histories = simulate_units(opt.units)
    order = np.random.default_rng(0).permutation(opt.units)
    n_train = int(0.75 * opt.units)
    scaler = Scaler().fit([histories[i].sensors for i in order[:n_train]])
    ds = HistoryDataset(histories, scaler, stride=opt.stride)
    train = DataLoader(Subset(ds, order[:n_train].tolist()), opt.batch_size, shuffle=True, collate_fn=pad_batch)
    test = DataLoader(Subset(ds, order[n_train:].tolist()), opt.batch_size, collate_fn=pad_batch)

    model = RulLSTM(n_sensors=histories[0].sensors.shape[1])
    optimizer = torch.optim.RMSprop(model.parameters(), lr=opt.lr)
    loss_fn = nn.SmoothL1Loss(beta=0.1)
    print(f"initial test MAE {evaluate(model, test, ds.max_rul):.1f} cycles")
    for epoch in range(opt.epochs):
        model.train()
        meter = Meter("loss")
        for x, lengths, y in train:
            optimizer.zero_grad()
            loss = loss_fn(model(x, lengths), y)
            loss.backward()
            nn.utils.clip_grad_value_(model.parameters(), 0.5)
            optimizer.step()
            meter.add(loss.item(), len(y))
        print(f"epoch {epoch + 1:2d} | loss {meter.mean:.4f} | test MAE {evaluate(model, test, ds.max_rul):.1f} cycles")


if __name__ == "__main__":
    main()
