import argparse

import numpy as np
import torch
import torch.nn.functional as F

from gcn import GCN, add_self_loops, gcn_norm, to_undirected

p = argparse.ArgumentParser()
p.add_argument("--data", default="data/graph.npz")
p.add_argument("--hidden", type=int, default=16)
p.add_argument("--epochs", type=int, default=100)
p.add_argument("--lr", type=float, default=0.02)
p.add_argument("--wd", type=float, default=5e-4)
args = p.parse_args()
torch.manual_seed(0)

d = np.load(args.data)
x = torch.from_numpy(d["x"])
y = torch.from_numpy(d["y"])
train_mask = torch.from_numpy(d["train_mask"])
N = x.size(0)
edge_index = add_self_loops(to_undirected(torch.from_numpy(d["edge_index"])), N)
norm = gcn_norm(edge_index, N)
print(f"loaded {args.data}: {N} nodes, {edge_index.size(1)} directed edges incl. self loops")

model = GCN(x.size(1), args.hidden, int(y.max()) + 1)
opt = torch.optim.Adam(model.parameters(), lr=args.lr, weight_decay=args.wd)
for epoch in range(1, args.epochs + 1):
    model.train()
    opt.zero_grad()
    out = model(x, edge_index, norm)
    loss = F.cross_entropy(out[train_mask], y[train_mask])
    loss.backward()
    opt.step()
    if epoch % 20 == 0:
        model.eval()
        with torch.no_grad():
            pred = model(x, edge_index, norm).argmax(1)
        tr = (pred[train_mask] == y[train_mask]).float().mean()
        te = (pred[~train_mask] == y[~train_mask]).float().mean()
        print(f"epoch {epoch:3d}  loss {loss.item():.4f}  train acc {tr:.3f}  test acc {te:.3f}")
