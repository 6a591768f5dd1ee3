import csv
import math
from collections import Counter
from dataclasses import dataclass

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset, random_split

ACTIVITIES = ["walking", "upstairs", "downstairs", "sitting", "standing", "laying"]


@dataclass
class Config:
    csv_path: str = "data/windows.csv"
    window: int = 64
    batch_size: int = 32
    epochs: int = 4
    lr: float = 2e-3


class WindowDataset(Dataset):
    """One row per window: subject, activity code, amplitude, frequency."""

    def __init__(self, path, window):
        self.window = window
        self.rows = []
        with open(path, newline="") as fh:
            for row in csv.DictReader(fh):
                activity = int(row["activity"])
                self.rows.append((activity, float(row["amplitude"]), float(row["frequency"])))

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, idx):
        label, amp, freq = self.rows[idx]
        t = torch.linspace(0, 1, self.window)
        signal = torch.stack([amp * torch.sin(2 * math.pi * (freq + k) * t) for k in range(3)])
        return signal + 0.1 * torch.randn_like(signal), label


class ConvNet(nn.Module):
    def __init__(self, n_classes):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv1d(3, 32, 5, padding=2), nn.BatchNorm1d(32), nn.ReLU(), nn.MaxPool1d(2),
            nn.Conv1d(32, 64, 5, padding=2), nn.BatchNorm1d(64), nn.ReLU(), nn.AdaptiveAvgPool1d(4),
        )
        self.head = nn.Sequential(nn.Flatten(), nn.Dropout(0.3), nn.Linear(256, n_classes))

    def forward(self, x):
        return self.head(self.features(x))


def run_epoch(model, loader, criterion, device, opt=None):
    model.train(opt is not None)
    total, correct, seen = 0.0, 0, 0
    with torch.set_grad_enabled(opt is not None):
        for x, y in loader:
            x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
            logits = model(x)
            loss = criterion(logits, y)
            if opt is not None:
                opt.zero_grad()
                loss.backward()
                opt.step()
            total += loss.item() * len(y)
            correct += (logits.argmax(1) == y).sum().item()
            seen += len(y)
    return total / seen, correct / seen


def main():
    cfg = Config()
    torch.manual_seed(3)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    data = WindowDataset(cfg.csv_path, cfg.window)
    print("windows per code:", sorted(Counter(r[0] for r in data.rows).items()))
    n_val = len(data) // 5
    train, val = random_split(data, [len(data) - n_val, n_val])
    train_loader = DataLoader(train, cfg.batch_size, shuffle=True, pin_memory=True)
    val_loader = DataLoader(val, cfg.batch_size)
    model = ConvNet(len(ACTIVITIES)).to(device)
    opt = torch.optim.Adam(model.parameters(), lr=cfg.lr)
    criterion = nn.CrossEntropyLoss()
    for epoch in range(cfg.epochs):
        tr = run_epoch(model, train_loader, criterion, device, opt)
        va = run_epoch(model, val_loader, criterion, device)
        print(f"[{epoch}] train loss {tr[0]:.3f} acc {tr[1]:.2%} | val loss {va[0]:.3f} acc {va[1]:.2%}")


if __name__ == "__main__":
    main()
