# metric: Test R2: (-?[\d.]+|nan|-inf) higher
import torch
import torch.nn as nn
from sklearn.datasets import load_diabetes
from sklearn.metrics import r2_score
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(3)
features, target = load_diabetes(return_X_y=True)
features = torch.tensor(features, dtype=torch.float32)
features = (features - features.mean(0)) / features.std(0)
target = torch.tensor(target, dtype=torch.float32).unsqueeze(1)
order = torch.randperm(len(features))
features, target = features[order], target[order]
mean, std = target[:350].mean(), target[:350].std()
target = (target - mean) / std

train_ds = TensorDataset(features[:350], target[:350])
test_x, test_y = features[350:], target[350:]
loader = DataLoader(train_ds, batch_size=32, shuffle=True)


class Regressor(nn.Module):
    def __init__(self, hidden=64):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(10, hidden),
            nn.Tanh(),
            nn.Linear(hidden, hidden),
            nn.Tanh(),
            nn.Linear(hidden, 1),
        )

    def forward(self, x):
        return self.layers(x)


net = Regressor()
criterion = nn.MSELoss()
optimizer = torch.optim.SGD(net.parameters(), lr=0.03, weight_decay=1e-3)
history = []
for epoch in range(20):
    net.train()
    total_loss = 0
    for x, y in loader:
        optimizer.zero_grad()
        y_hat = net(x)
        loss = criterion(y_hat, y)
        loss.backward()
        optimizer.step()
        total_loss += loss.item()
    history.append(total_loss / len(loader))
    if epoch % 2 == 0:
        net.eval()
        with torch.no_grad():
            val = criterion(net(test_x), test_y).item()
        print(f"epoch {epoch}: train mse {history[-1]:.4f} val mse {val:.4f}")

net.eval()
with torch.no_grad():
    prediction = net(test_x)
print(f"Test R2: {r2_score(test_y.numpy(), prediction.nan_to_num(1e6).numpy()):.4f}")
