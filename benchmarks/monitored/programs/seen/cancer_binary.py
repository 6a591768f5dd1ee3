# metric: final test acc = ([\d.]+) higher
import numpy as np
import torch
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch import nn

torch.manual_seed(42)
np.random.seed(42)

data = load_breast_cancer()
x_tr, x_te, y_tr, y_te = train_test_split(data.data, data.target, test_size=0.25, random_state=42)
scaler = StandardScaler()
x_tr = scaler.fit_transform(x_tr)
x_te = scaler.transform(x_te)

x_tr = torch.from_numpy(x_tr).float()
x_te = torch.from_numpy(x_te).float()
y_tr = torch.from_numpy(y_tr).float().view(-1, 1)
y_te = torch.from_numpy(y_te).float().view(-1, 1)

model = nn.Sequential(
    nn.Linear(30, 32),
    nn.ReLU(),
    nn.Linear(32, 16),
    nn.ReLU(),
    nn.Linear(16, 1),
)
loss_fn = nn.BCEWithLogitsLoss()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)

batch = 16
n = len(x_tr)
for epoch in range(15):
    model.train()
    perm = torch.randperm(n)
    epoch_loss = 0.0
    for i in range(0, n, batch):
        idx = perm[i : i + batch]
        logits = model(x_tr[idx])
        loss = loss_fn(logits, y_tr[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
        epoch_loss += loss.item() * len(idx)
    model.eval()
    with torch.no_grad():
        pred = (torch.sigmoid(model(x_te)) > 0.5).float()
        acc = (pred == y_te).float().mean().item()
    print(f"[{epoch}] loss={epoch_loss / n:.4f} test_acc={acc:.4f}")
print(f"final test acc = {acc:.4f}")
