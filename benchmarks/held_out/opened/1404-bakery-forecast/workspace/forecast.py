import json
import sys

import numpy as np
import torch
from torch.utils.data import DataLoader, TensorDataset

import series
from tcn import TCN

cfg = json.load(open(sys.argv[1] if len(sys.argv) > 1 else "settings.json"))
torch.manual_seed(0)

df, cut, stats = series.load(cfg)
cut = np.datetime64(cut)
train = TensorDataset(*series.windows(df, cfg, lambda d: d <= cut))
test_x, test_y = series.windows(df, cfg, lambda d: d > cut)
print("windows:", len(train), "train,", len(test_x), "test")

net = TCN(train.tensors[0].size(-1), len(cfg["products"]), cfg["horizon"], **cfg["tcn"])
o = cfg["optim"]
opt = torch.optim.AdamW(net.parameters(), lr=o["lr"], weight_decay=o["weight_decay"])
loss_fn = torch.nn.SmoothL1Loss()

for epoch in range(1, o["epochs"] + 1):
    net.train()
    losses = []
    for x, y in DataLoader(train, o["batch"], shuffle=True):
        opt.zero_grad()
        loss = loss_fn(net(x), y)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        opt.step()
        losses.append(loss.item())
    net.eval()
    with torch.no_grad():
        err = (net(test_x) - test_y).abs().mean(dim=(0, 1))
    per = "  ".join(f"{p}={e:.3f}" for p, e in zip(cfg["products"], err.tolist()))
    print(f"epoch {epoch}: loss {np.mean(losses):.4f} | test MAE (z) {per}")

torch.save({"net": net.state_dict(), "stats": stats.to_dict()}, "bakery.pt")
print("saved bakery.pt")
