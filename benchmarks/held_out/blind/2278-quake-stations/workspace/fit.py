import json
import sys
from pathlib import Path

import numpy as np
import torch
from torch.utils.data import DataLoader, TensorDataset

from network import TravelTime

work = Path(sys.argv[1])
epochs = int(sys.argv[2]) if len(sys.argv) > 2 else 10

meta = json.loads((work / "meta.json").read_text())
z = np.load(work / "picks.npz")
ds = TensorDataset(*(torch.from_numpy(z[k]) for k in ("x", "sid", "t")))

torch.manual_seed(0)
perm = torch.randperm(len(ds)).tolist()
cut = int(0.85 * len(ds))
train = DataLoader(torch.utils.data.Subset(ds, perm[:cut]), batch_size=16, shuffle=True)
valid = DataLoader(torch.utils.data.Subset(ds, perm[cut:]), batch_size=64)

model = TravelTime(meta["n_stations"])
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
print(f"stations: {meta['n_stations']}  train: {cut}  valid: {len(ds) - cut}")

for ep in range(epochs):
    model.train()
    run = 0.0
    for x, sid, t in train:
        loss = torch.nn.functional.huber_loss(model(x, sid), t)
        opt.zero_grad()
        loss.backward()
        opt.step()
        run += loss.item() * len(t)
    model.eval()
    with torch.no_grad():
        err = torch.cat([(model(x, s) - t).abs() for x, s, t in valid])
    print(f"[{ep:02d}] train huber {run / cut:.4f}  valid MAE {err.mean().item():.3f} s")
