import numpy as np
import torch
from torch import nn
from torch.utils.data import Dataset, DataLoader
from sklearn.datasets import load_diabetes
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

torch.manual_seed(7)

X, y = load_diabetes(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.2, random_state=7)

x_scaler = StandardScaler()
X_train = x_scaler.fit_transform(X_train)
X_test = x_scaler.transform(X_test)

y_scaler = StandardScaler()
y_train = y_scaler.fit_transform(y_train.reshape(-1, 1))
y_test = y_scaler.transform(y_test.reshape(-1, 1))


class TabularDataset(Dataset):
    def __init__(self, features, target):
        self.features = features
        self.target = target

    def __len__(self):
        return len(self.features)

    def __getitem__(self, idx):
        return torch.from_numpy(self.features[idx]), torch.from_numpy(self.target[idx])


class Regressor(nn.Module):
    def __init__(self, in_features, hidden=32):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(in_features, hidden),
            nn.ReLU(),
            nn.Dropout(0.1),
            nn.Linear(hidden, hidden),
            nn.ReLU(),
            nn.Linear(hidden, 1),
        )

    def forward(self, x):
        return self.layers(x)


train_loader = DataLoader(TabularDataset(X_train, y_train), batch_size=32, shuffle=True)
test_loader = DataLoader(TabularDataset(X_test, y_test), batch_size=64)

net = Regressor(X_train.shape[1])
loss_fn = nn.MSELoss()
opt = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=1e-2)


def run_epoch(loader, train=True):
    net.train(train)
    total, count = 0.0, 0
    with torch.set_grad_enabled(train):
        for xb, yb in loader:
            pred = net(xb)
            loss = loss_fn(pred, yb)
            if train:
                opt.zero_grad()
                loss.backward()
                opt.step()
            total += loss.item() * len(xb)
            count += len(xb)
    return total / count


print("train samples:", len(X_train), "features:", X_train.shape[1])
for epoch in range(1, 21):
    tr = run_epoch(train_loader)
    te = run_epoch(test_loader, train=False)
    if epoch % 5 == 0:
        print(f"epoch {epoch:3d} | train mse {tr:.3f} | test mse {te:.3f}")
