# House prices with a small neural net. First try with PyTorch after doing the same with sklearn.
import random

import numpy as np
import pandas as pd
import torch
import torch.nn as nn
from sklearn.metrics import r2_score
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, TensorDataset

random.seed(42)
np.random.seed(42)
torch.manual_seed(42)

df = pd.read_csv("data/houses.csv")
df = df.drop("Id", axis=1)

# --- feature engineering -------------------------------------------------
df["LotArea"] = df["LotArea"].fillna(df["LotArea"].median())
df["HouseAge"] = 2023 - df["YearBuilt"]
df["AreaPerBed"] = df["GrLivArea"] / df["BedroomAbvGr"]

y = np.log(df["SalePrice"])
y_mean, y_std = y.mean(), y.std()
y = (y - y_mean) / y_std

X = df.drop(["SalePrice", "YearBuilt"], axis=1)
num_cols = ["GrLivArea", "LotArea", "BedroomAbvGr", "HouseAge", "AreaPerBed", "GarageCars"]
X[num_cols] = (X[num_cols] - X[num_cols].mean()) / X[num_cols].std()
X = pd.get_dummies(X, columns=["Neighborhood", "Heating"], dtype=float)
print("features:", list(X.columns))

X_train, X_val, y_train, y_val = train_test_split(X, y, test_size=0.2, random_state=42)

# --- to tensors ----------------------------------------------------------
X_train_t = torch.tensor(X_train.values, dtype=torch.float32)
X_val_t = torch.tensor(X_val.values, dtype=torch.float32)
y_train_t = torch.tensor(y_train.values, dtype=torch.float32)
y_val_t = torch.tensor(y_val.values, dtype=torch.float32)

train_dl = DataLoader(TensorDataset(X_train_t, y_train_t), batch_size=32, shuffle=True)


class PriceNet(nn.Module):
    def __init__(self, n_in, n_hidden=64):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(n_in, n_hidden),
            nn.ReLU(),
            nn.Dropout(0.1),
            nn.Linear(n_hidden, n_hidden // 2),
            nn.ReLU(),
            nn.Linear(n_hidden // 2, 1),
        )

    def forward(self, x):
        return self.layers(x)


model = PriceNet(X_train_t.shape[1])
criterion = nn.MSELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, weight_decay=1e-5)

for epoch in range(1, 61):
    model.train()
    total = 0.0
    for xb, yb in train_dl:
        optimizer.zero_grad()
        pred = model(xb)
        loss = criterion(pred, yb)
        loss.backward()
        optimizer.step()
        total += loss.item() * len(xb)
    if epoch % 5 == 0:
        model.eval()
        with torch.no_grad():
            val_pred = model(X_val_t)
            val_loss = criterion(val_pred, y_val_t).item()
        print("epoch %3d  train loss %.4f  val loss %.4f" % (epoch, total / len(X_train_t), val_loss))

model.eval()
with torch.no_grad():
    pred = model(X_val_t).numpy().ravel()
print("R2 on validation: %.3f" % r2_score(y_val_t.numpy().ravel(), pred))
price = np.exp(pred * y_std + y_mean)
true = np.exp(y_val.values * y_std + y_mean)
print("mean absolute error: %.0f $" % np.abs(price - true).mean())
