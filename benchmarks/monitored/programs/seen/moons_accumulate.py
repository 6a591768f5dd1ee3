# metric: accuracy on test ([\d.]+) higher
import torch
import torch.nn as nn
from sklearn.datasets import make_moons
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(9)
X, y = make_moons(n_samples=2400, noise=0.15, random_state=9)
X = torch.tensor(X, dtype=torch.float32)
y = torch.tensor(y, dtype=torch.long)
train_loader = DataLoader(TensorDataset(X[:2000], y[:2000]), batch_size=16, shuffle=True)

ACCUMULATE = 4
EPOCHS = 8
model = nn.Sequential(
    nn.Linear(2, 32), nn.LayerNorm(32), nn.GELU(),
    nn.Linear(32, 32), nn.LayerNorm(32), nn.GELU(),
    nn.Linear(32, 2),
)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.01)
steps = EPOCHS * len(train_loader) // ACCUMULATE
scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=1e-2, total_steps=steps + 1)
criterion = nn.CrossEntropyLoss()

for epoch in range(EPOCHS):
    model.train()
    epoch_loss = 0.0
    optimizer.zero_grad()
    for i, (xb, yb) in enumerate(train_loader):
        loss = criterion(model(xb), yb)
        (loss / ACCUMULATE).backward()
        epoch_loss += loss.item()
        if (i + 1) % ACCUMULATE == 0:
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
    print(f"epoch {epoch} loss {epoch_loss / len(train_loader):.4f} lr {scheduler.get_last_lr()[0]:.5f}")

model.eval()
with torch.no_grad():
    accuracy = (model(X[2000:]).argmax(1) == y[2000:]).float().mean().item()
print(f"accuracy on test {accuracy:.4f}")
