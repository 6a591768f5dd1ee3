import argparse
import json
import os

import pandas as pd
import torch

from mf import MatrixFactorization

ap = argparse.ArgumentParser()
ap.add_argument("--work", required=True)
ap.add_argument("--dim", type=int, default=8)
ap.add_argument("--epochs", type=int, default=10)
ap.add_argument("--lr", type=float, default=0.01)
args = ap.parse_args()

torch.manual_seed(0)
meta = json.load(open(os.path.join(args.work, "meta.json")))
df = pd.read_csv(os.path.join(args.work, "train.csv"))
u = torch.tensor(df.uid.values)
i = torch.tensor(df.iid.values)
r = torch.tensor(df.rating.values, dtype=torch.float32)

model = MatrixFactorization(meta["n_users"], meta["n_items"], args.dim, meta["mean"])
opt = torch.optim.Adam(model.parameters(), lr=args.lr, weight_decay=1e-4)
for epoch in range(args.epochs):
    perm = torch.randperm(len(r))
    total = 0.0
    for idx in perm.split(64):
        loss = ((model(u[idx], i[idx]) - r[idx]) ** 2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() * len(idx)
    if epoch % 4 == 3:
        print(f"epoch {epoch} rmse {(total / len(r)) ** 0.5:.4f}")

torch.save({"state": model.state_dict(), "dim": args.dim}, os.path.join(args.work, "mf.pt"))
print("wrote", os.path.join(args.work, "mf.pt"))
