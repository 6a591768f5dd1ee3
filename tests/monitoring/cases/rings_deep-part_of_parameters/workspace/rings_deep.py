#
# A deeper network, built in a loop.
import torch
from sklearn.datasets import make_circles
from torch import nn

torch.manual_seed(21)
X, y = make_circles(n_samples=1600, noise=0.08, factor=0.5, random_state=21)
X = torch.tensor(X, dtype=torch.float32)
y = torch.tensor(y, dtype=torch.float32)
train_x, train_y, test_x, test_y = X[:1280], y[:1280], X[1280:], y[1280:]


class Rings(nn.Module):
    def __init__(self, depth=5, width=24):
        super().__init__()
        layers = [nn.Linear(2, width), nn.ReLU()]
        for _ in range(depth - 1):
            layers.append(nn.Linear(width, width))
            layers.append(nn.ReLU())
        layers.append(nn.Linear(width, 1))
        layers.append(nn.Sigmoid())
        self.net = nn.Sequential(*layers)
        for module in self.net:
            if isinstance(module, nn.Linear):
                nn.init.kaiming_normal_(module.weight)
                nn.init.zeros_(module.bias)

    def forward(self, x):
        return self.net(x).squeeze(1)


model = Rings()
optimizer = torch.optim.Adam(list(model.parameters())[-1:], lr=0.003)
loss_function = nn.BCELoss()
BATCH = 32
for epoch in range(12):
    shuffled = torch.randperm(len(train_x))
    total = 0.0
    for start in range(0, len(train_x), BATCH):
        chosen = shuffled[start : start + BATCH]
        optimizer.zero_grad()
        output = model(train_x[chosen])
        loss = loss_function(output, train_y[chosen])
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(f"epoch {epoch} loss {total / (len(train_x) / BATCH):.4f}")
model.eval()
with torch.no_grad():
    right = ((model(test_x) > 0.5).float() == test_y).float().mean().item()
print(f"test acc: {right:.4f}")
