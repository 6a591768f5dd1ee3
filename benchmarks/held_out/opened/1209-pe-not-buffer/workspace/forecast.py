import argparse
import math

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


def series(n, length, seed):
    g = torch.Generator().manual_seed(seed)
    t = torch.arange(length)
    daily = torch.rand(n, 1, generator=g) * 5 * torch.sin(2 * math.pi * t / 24)
    weekly = torch.rand(n, 1, generator=g) * 3 * torch.cos(2 * math.pi * t / 168)
    return 12 + daily + weekly + 0.5 * torch.randn(n, length, generator=g)


def windows(x, past, horizon, stride=6):
    w = x.unfold(1, past + horizon, stride).reshape(-1, past + horizon)
    return w[:, :past, None], w[:, past:]


class PositionalEncoding(nn.Module):
    def __init__(self, dim, max_len=512, dropout=0.1):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        pos = torch.arange(max_len).unsqueeze(1)
        freq = torch.exp(torch.arange(0, dim, 2) * (-math.log(10000.0) / dim))
        pe = torch.zeros(max_len, dim)
        pe[:, 0::2] = torch.sin(pos * freq)
        pe[:, 1::2] = torch.cos(pos * freq)
        self.pe = pe.unsqueeze(0)

    def forward(self, x):
        x = x + self.pe[:, : x.size(1)]
        return self.dropout(x)


class Forecaster(nn.Module):
    def __init__(self, horizon, dim=64, heads=4, depth=2):
        super().__init__()
        self.inp = nn.Linear(1, dim)
        self.pos = PositionalEncoding(dim)
        self.enc = nn.TransformerEncoder(
            nn.TransformerEncoderLayer(dim, heads, 4 * dim, batch_first=True), depth
        )
        self.out = nn.Linear(dim, horizon)

    def forward(self, x):
        mean, std = x.mean(1, keepdim=True), x.std(1, keepdim=True) + 1e-4
        h = self.enc(self.pos(self.inp((x - mean) / std)))
        return self.out(h[:, -1]) * std[:, 0] + mean[:, 0]


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--past", type=int, default=96)
    ap.add_argument("--horizon", type=int, default=24)
    ap.add_argument("--epochs", type=int, default=5)
    args = ap.parse_args()
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    train = TensorDataset(*windows(series(16, 800, 0), args.past, args.horizon))
    test_x, test_y = windows(series(4, 800, 1), args.past, args.horizon)
    model = Forecaster(args.horizon).to(device)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    loader = DataLoader(train, batch_size=64, shuffle=True)
    for epoch in range(args.epochs):
        model.train()
        for x, y in loader:
            loss = nn.functional.smooth_l1_loss(model(x.to(device)), y.to(device))
            opt.zero_grad()
            loss.backward()
            opt.step()
        model.eval()
        with torch.no_grad():
            mae = (model(test_x.to(device)) - test_y.to(device)).abs().mean().item()
        print(f"epoch {epoch}: train {loss.item():.3f}  test MAE {mae:.3f}")


if __name__ == "__main__":
    main()
