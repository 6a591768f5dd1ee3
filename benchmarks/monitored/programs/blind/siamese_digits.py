# metric: one-shot accuracy ([\d.]+) higher
import numpy as np
import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, Dataset

np.random.seed(2)
torch.manual_seed(2)
X, Y = load_digits(return_X_y=True)
X = (X / 8.0 - 1.0).astype("float32")


class Pairs(Dataset):
    def __init__(self, x, y, count):
        self.x, self.y = x, y
        self.pairs = []
        for _ in range(count):
            a = np.random.randint(len(x))
            same = np.random.rand() < 0.5
            pool = np.where((y == y[a]) == same)[0]
            self.pairs.append((a, np.random.choice(pool), float(same)))

    def __len__(self):
        return len(self.pairs)

    def __getitem__(self, index):
        a, b, same = self.pairs[index]
        return self.x[a], self.x[b], torch.tensor(same)


class Embedder(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(64, 64),
            nn.LeakyReLU(0.1),
            nn.Linear(64, 32),
            nn.LeakyReLU(0.1),
            nn.Linear(32, 16),
        )
        self.scale = nn.Linear(1, 1)
        nn.init.constant_(self.scale.weight, -1.0)
        nn.init.constant_(self.scale.bias, 1.0)

    def forward(self, a, b):
        distance = (self.layers(a) - self.layers(b)).pow(2).sum(1, keepdim=True)
        return self.scale(distance).squeeze(1)


model = Embedder()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
bce = nn.BCEWithLogitsLoss()
train_loader = DataLoader(Pairs(X[:1300], Y[:1300], 4000), batch_size=64, shuffle=True)
test_loader = DataLoader(Pairs(X[1300:], Y[1300:], 1000), batch_size=200)
for epoch in range(6):
    model.train()
    summed = 0.0
    for a, b, same in train_loader:
        score = model(a, b)
        loss = bce(score, same)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        summed += loss.item()
    print(f"epoch {epoch} loss {summed / len(train_loader):.4f}")
model.eval()
right = []
with torch.no_grad():
    for a, b, same in test_loader:
        right.append(((model(a, b) > 0).float() == same).float().mean().item())
print(f"one-shot accuracy {np.mean(right):.4f}")
