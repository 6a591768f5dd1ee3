import argparse

import torch
from torch.utils.data import DataLoader, TensorDataset

import windows
from autoencoder import WindowAE

ap = argparse.ArgumentParser()
ap.add_argument("--csv", required=True)
ap.add_argument("--window", type=int, default=32)
ap.add_argument("--stride", type=int, default=4)
ap.add_argument("--latent", type=int, default=4)
ap.add_argument("--epochs", type=int, default=10)
ap.add_argument("--lr", type=float, default=3e-3)
ap.add_argument("--out", required=True)
a = ap.parse_args()

torch.manual_seed(1)
values, normal = windows.read(a.csv)
mean, std = values[normal].mean(0), values[normal].std(0)
x, starts = windows.cut((values - mean) / std, a.window, a.stride)
ok = [normal[s:s + a.window].all() for s in starts]
x = torch.from_numpy(x[ok])
print(f"{len(x)} normal windows of {len(starts)}")

net = WindowAE(x.shape[1], a.window, a.latent)
opt = torch.optim.Adam(net.parameters(), lr=a.lr)
for epoch in range(a.epochs):
    total = 0.0
    for (b,) in DataLoader(TensorDataset(x), 16, shuffle=True):
        loss = net.errors(b).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() * len(b)
    print(f"epoch {epoch}  mse {total / len(x):.4f}")

torch.save({"weights": net.state_dict(), "mean": torch.tensor(mean), "std": torch.tensor(std),
            "window": a.window, "latent": a.latent}, a.out)
