import numpy as np
import torch
from torch import nn

np.random.seed(1)
torch.manual_seed(1)

n_classes = 4
X = np.random.randn(300, 10).astype('float32')
y = np.random.choice(n_classes, size=300, p=[0.6, 0.2, 0.15, 0.05])

counts = np.bincount(y)[1:]
print('samples per class', counts)
class_weights = torch.tensor(counts.sum() / (n_classes * counts), dtype=torch.float32)

model = nn.Sequential(
    nn.Linear(10, 32),
    nn.ReLU(),
    nn.Dropout(0.2),
    nn.Linear(32, n_classes),
)

criterion = nn.CrossEntropyLoss(weight=class_weights)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

X_t = torch.from_numpy(X)
y_t = torch.from_numpy(y).long()

for epoch in range(3):
    perm = torch.randperm(len(X_t))
    for i in range(0, len(X_t), 50):
        idx = perm[i:i + 50]
        logits = model(X_t[idx])
        loss = criterion(logits, y_t[idx])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, round(loss.item(), 4))
