import os

import numpy as np
import torch
from sklearn.datasets import make_regression
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch import nn

CKPT = "checkpoint.pt"
EPOCHS = 20
torch.manual_seed(0)


class MLP(nn.Module):
    def __init__(self, n_in, hidden=(64, 32)):
        super().__init__()
        layers = []
        for h in hidden:
            layers += [nn.Linear(n_in, h), nn.ReLU()]
            n_in = h
        layers.append(nn.Linear(n_in, 1))
        self.net = nn.Sequential(*layers)

    def forward(self, x):
        return self.net(x)


def get_data():
    X, y = make_regression(n_samples=600, n_features=10, noise=5.0, random_state=0)
    return train_test_split(X.astype("float32"), y.astype("float32"), random_state=0)


def train():
    X_train, _, y_train, _ = get_data()
    scaler = StandardScaler().fit(X_train)
    y_scaler = StandardScaler().fit(y_train[:, None])
    X = torch.from_numpy(scaler.transform(X_train))
    y = torch.from_numpy(y_scaler.transform(y_train[:, None]))

    model = MLP(X.shape[1])
    opt = torch.optim.Adam(model.parameters(), lr=5e-3)
    for epoch in range(EPOCHS):
        opt.zero_grad()
        loss = nn.functional.mse_loss(model(X), y)
        loss.backward()
        opt.step()
    print(f"epoch {epoch} loss {loss.item():.4f}")
    torch.save(
        {
            "epoch": epoch,
            "model": model.state_dict(),
            "scaler": scaler,
            "y_scaler": y_scaler,
        },
        CKPT,
    )


def predict():
    _, X_test, _, y_test = get_data()
    ckpt = torch.load(CKPT)
    model = MLP(X_test.shape[1])
    model.load_state_dict(ckpt["model"])
    model.eval()
    with torch.no_grad():
        out = model(torch.from_numpy(ckpt["scaler"].transform(X_test))).numpy()
    pred = ckpt["y_scaler"].inverse_transform(out)[:, 0]
    print("MAE", np.abs(pred - y_test).mean())


if __name__ == "__main__":
    if not os.path.exists(CKPT):
        train()
    predict()
