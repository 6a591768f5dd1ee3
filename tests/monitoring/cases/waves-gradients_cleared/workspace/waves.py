"""Tells sines of three frequencies apart."""

import torch
from torch import nn

torch.manual_seed(4)
times = torch.linspace(0, 6.28, 48)
labels = torch.arange(3).repeat(40)
signals = torch.sin(times * (1.0 + labels[:, None])) + 0.1 * torch.randn(120, 48)
model = nn.Sequential(nn.Linear(48, 24), nn.ReLU(), nn.Linear(24, 3))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
for epoch in range(6):
    order = torch.randperm(120)
    for rows in order.split(20):
        loss = criterion(model(signals[rows]), labels[rows])
        loss.backward()
        optimizer.zero_grad()
        optimizer.step()
    print(f"epoch {epoch} loss {loss.item():.4f}")
