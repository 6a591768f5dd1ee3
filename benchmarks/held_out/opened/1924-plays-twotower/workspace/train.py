import argparse, json, os
import numpy as np
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

from towers import TwoTower

p = argparse.ArgumentParser()
p.add_argument("--work", default="work")
p.add_argument("--dim", type=int, default=24)
p.add_argument("--epochs", type=int, default=15)
p.add_argument("--bs", type=int, default=128)
p.add_argument("--lr", type=float, default=5e-3)
p.add_argument("-k", type=int, default=10)
args = p.parse_args()

torch.manual_seed(3)
arr = np.load(os.path.join(args.work, "plays.npz"))
meta = json.load(open(os.path.join(args.work, "meta.json")))

pairs = torch.as_tensor(arr["train"])
hours = torch.as_tensor(arr["hour"])
test = torch.as_tensor(arr["test"])
loader = DataLoader(TensorDataset(pairs[:, 0], pairs[:, 1], hours), batch_size=args.bs, shuffle=True)

model = TwoTower(meta["n_users"], meta["n_items"], args.dim)
opt = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=1e-3)


def hit_rate():
    model.eval()
    noon = torch.full((len(test),), 12)
    scores = model.rank_all(test[:, 0], noon)
    scores[pairs[:, 0].new_tensor(row_of)[pairs[:, 0]], pairs[:, 1]] = -9
    top = scores.topk(args.k, dim=1).indices
    return (top == test[:, 1:2]).any(1).float().mean().item()


# row of every user in the test matrix
row_of = np.zeros(meta["n_users"], dtype=int)
row_of[arr["test"][:, 0]] = np.arange(len(test))

for ep in range(args.epochs):
    model.train()
    tot = 0.0
    for u, i, h in loader:
        logits = model(u, i, h)
        loss = F.cross_entropy(logits, torch.arange(len(u)))
        opt.zero_grad(); loss.backward(); opt.step()
        tot += loss.item() * len(u)
    print(f"[{ep:02d}] loss {tot / len(pairs):.4f}  hit@{args.k} {hit_rate():.3f}")
