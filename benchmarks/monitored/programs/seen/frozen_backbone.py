# metric: head accuracy ([\d.]+) higher
"""Train a backbone on even digits, freeze it, and train a new head for all digits."""
import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
digits = load_digits()
images = torch.tensor(digits.images / 16.0, dtype=torch.float32)[:, None]
labels = torch.tensor(digits.target, dtype=torch.long)
perm = torch.randperm(len(images))
images, labels = images[perm], labels[perm]


def fit(model, parameters, loader, epochs, lr):
    optimizer = torch.optim.Adam(parameters, lr=lr)
    loss_fn = nn.CrossEntropyLoss()
    for epoch in range(epochs):
        model.train()
        total = 0.0
        for x, y in loader:
            optimizer.zero_grad()
            loss = loss_fn(model(x), y)
            loss.backward()
            optimizer.step()
            total += loss.item()
        print(f"epoch {epoch} loss {total / len(loader):.4f}")


backbone = nn.Sequential(
    nn.Conv2d(1, 16, 3),
    nn.ReLU(),
    nn.Conv2d(16, 32, 3),
    nn.ReLU(),
    nn.AdaptiveAvgPool2d(2),
    nn.Flatten(),
)
even = labels % 2 == 0
pretraining = DataLoader(TensorDataset(images[even], labels[even] // 2), batch_size=32, shuffle=True)
first = nn.Sequential(backbone, nn.Linear(128, 5))
fit(first, first.parameters(), pretraining, 5, 3e-3)

for parameter in backbone.parameters():
    parameter.requires_grad = False
head = nn.Linear(128, 10)
model = nn.Sequential(backbone, head)
loader = DataLoader(TensorDataset(images[:1500], labels[:1500]), batch_size=32, shuffle=True)
fit(model, head.parameters(), loader, 6, 1e-2)

model.eval()
with torch.no_grad():
    accuracy = (model(images[1500:]).argmax(1) == labels[1500:]).float().mean().item()
print(f"head accuracy {accuracy:.4f}")
