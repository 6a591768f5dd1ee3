"""A plain loop of PyTorch: a classifier that learns, with a test after each epoch."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(8, 16)
        self.norm = nn.BatchNorm1d(16)
        self.head = nn.Linear(16, 3)

    def forward(self, x):
        return self.head(F.relu(self.norm(self.first(x))))


x = torch.randn(240, 8)
y = (x[:, 0] + x[:, 1] > 0).long() + (x[:, 2] > 1).long()
train, test = random_split(TensorDataset(x, y), [200, 40])
loader = DataLoader(train, batch_size=20, shuffle=True)
test_loader = DataLoader(test, batch_size=20)
model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
schedule = torch.optim.lr_scheduler.StepLR(optimizer, 2)
criterion = nn.CrossEntropyLoss()
for epoch in range(4):
    model.train()
    for a, b in loader:
        optimizer.zero_grad()
        loss = criterion(model(a), b)
        loss.backward()
        optimizer.step()
    schedule.step()
    model.eval()
    with torch.no_grad():
        value = sum(F.cross_entropy(model(a), b).item() for a, b in test_loader)
    print(epoch, repr(loss.item()), repr(value))
