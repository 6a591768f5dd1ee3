import numpy as np
import pandas as pd
import torch
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch import nn
from torch.utils.data import DataLoader, Dataset

np.random.seed(42)
torch.manual_seed(42)


def load_houses(n=800):
    """stand-in for my houses.csv, same columns"""
    df = pd.DataFrame(
        {
            "area": np.random.normal(120, 35, n).clip(30, 300),
            "rooms": np.random.randint(1, 8, n),
            "age": np.random.randint(0, 90, n),
            "distance": np.random.gamma(2.0, 4.0, n),
            "garden": np.random.randint(0, 2, n),
        }
    )
    df["price"] = (
        2100 * df["area"]
        + 9000 * df["rooms"]
        - 650 * df["age"]
        - 3000 * df["distance"]
        + 15000 * df["garden"]
        + np.random.normal(0, 8000, n)
    )
    return df


class HouseDataset(Dataset):
    def __init__(self, features, prices):
        self.features = torch.from_numpy(features)
        self.prices = torch.tensor(prices, dtype=torch.float32)

    def __len__(self):
        return len(self.prices)

    def __getitem__(self, i):
        return self.features[i], self.prices[i]


class PriceNet(nn.Module):
    def __init__(self, n_features, hidden=64):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(n_features, hidden),
            nn.ReLU(),
            nn.Linear(hidden, hidden),
            nn.ReLU(),
            nn.Linear(hidden, 1),
        )

    def forward(self, x):
        return self.layers(x).squeeze(1)


df = load_houses()
print(df.describe().round(1).loc[["mean", "std", "min", "max"]])

X = df.drop(columns="price").to_numpy()
y = df["price"].to_numpy()
X_train, X_val, y_train, y_val = train_test_split(X, y, test_size=0.2, random_state=1)

x_scaler = StandardScaler().fit(X_train)
y_mean, y_std = y_train.mean(), y_train.std()

train_ds = HouseDataset(x_scaler.transform(X_train), (y_train - y_mean) / y_std)
val_ds = HouseDataset(x_scaler.transform(X_val), (y_val - y_mean) / y_std)
train_loader = DataLoader(train_ds, batch_size=32, shuffle=True)
val_loader = DataLoader(val_ds, batch_size=256)

model = PriceNet(X.shape[1])
loss_fn = nn.MSELoss()
opt = torch.optim.Adam(model.parameters(), lr=3e-3)

for epoch in range(15):
    model.train()
    total = 0.0
    for xb, yb in train_loader:
        pred = model(xb)
        loss = loss_fn(pred, yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() * len(xb)

    model.eval()
    with torch.no_grad():
        errs = []
        for xb, yb in val_loader:
            errs.append((model(xb) - yb).abs() * y_std)
        mae = torch.cat(errs).mean().item()
    if epoch % 3 == 2:
        print(f"epoch {epoch + 1:02d}  train mse {total / len(train_ds):.4f}  val MAE {mae:,.0f}")
