"""A plain loop of PyTorch with faults that raise nothing.

The data are not shuffled and not scaled, a softmax comes before the cross entropy, one layer is in
no optimizer, gradients are never set to zero, and the loss ends as NaN.
"""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(1)
x = torch.randn(120, 6) * 1000
y = torch.arange(120) // 40
loader = DataLoader(TensorDataset(x, y), batch_size=20)
body = nn.Sequential(nn.Linear(6, 12), nn.Sigmoid())
head = nn.Sequential(nn.Linear(12, 3), nn.Softmax(dim=1))
optimizer = torch.optim.SGD(head.parameters(), lr=0.5)
for epoch in range(3):
    for number, (a, b) in enumerate(loader):
        loss = nn.functional.cross_entropy(head(body(a)), b)
        if epoch == 2 and number == 3:
            loss = loss / 0.0 * 0.0
        loss.backward()
        optimizer.step()
print(repr(loss.item()))
