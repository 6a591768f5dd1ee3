import sys
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

from frame import load_frame, split
from mlp import mlp

SEED = 99
EPOCHS = 12
BS = 32
LR = 1e-3

torch.manual_seed(SEED)
path = sys.argv[1] if len(sys.argv) > 1 else "data/shrooms.csv"

X, y = load_frame(path, SEED)
print("shape", X.shape, "poisonous", round(float(y.mean()), 3))
(tr_x, tr_y), (va_x, va_y) = split(X, y, 0.25)

to_t = torch.from_numpy
train_dl = DataLoader(TensorDataset(to_t(tr_x), to_t(tr_y)), BS, shuffle=True, drop_last=True)
va_x, va_y = to_t(va_x), to_t(va_y)

net = mlp(X.shape[1])
opt = torch.optim.AdamW(net.parameters(), lr=LR, weight_decay=1e-2)
best = (0, -1)
for ep in range(EPOCHS):
    net.train()
    s = c = n = 0
    for xb, yb in train_dl:
        out = net(xb).squeeze(1)
        loss = F.binary_cross_entropy_with_logits(out, yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
        s += loss.item() * len(yb)
        c += ((out > 0) == (yb > 0.5)).sum().item()
        n += len(yb)
    net.eval()
    with torch.no_grad():
        vo = net(va_x).squeeze(1)
        vl = F.binary_cross_entropy_with_logits(vo, va_y).item()
        va = ((vo > 0) == (va_y > 0.5)).float().mean().item()
    if va > best[0]:
        best = (va, ep)
    print(f"[{ep:02d}] train loss {s/n:.4f} acc {c/n:.3f} | val loss {vl:.4f} acc {va:.3f}")

print(f"best val acc {best[0]:.3f} (epoch {best[1]})")
torch.save(net.state_dict(), "mlp.pt")
