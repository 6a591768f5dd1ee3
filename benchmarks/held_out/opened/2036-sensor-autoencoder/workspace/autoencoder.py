import os
import tempfile
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

# Autoencoder for anomaly detection on sensor readings

torch.manual_seed(123)
np.random.seed(123)

N_FEATURES = 16
MODEL_PATH = os.path.join(tempfile.gettempdir(), "autoencoder.pth")


class AutoEncoder(nn.Module):
    def __init__(self, n_features, latent=4):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(n_features, 12), nn.ReLU(), nn.Linear(12, latent))
        self.decoder = nn.Sequential(nn.Linear(latent, 12), nn.ReLU(), nn.Linear(12, n_features))

    def forward(self, x):
        return self.decoder(self.encoder(x))


def normal_readings(n):
    z = np.random.normal(size=(n, 3))
    mix = np.random.RandomState(0).normal(size=(3, N_FEATURES))
    return (z @ mix + 0.05 * np.random.normal(size=(n, N_FEATURES))).astype(np.float32)


def train(epochs=30):
    X = torch.from_numpy(normal_readings(1000))
    loader = DataLoader(TensorDataset(X), batch_size=64, shuffle=True)
    model = AutoEncoder(N_FEATURES)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    criterion = nn.MSELoss()
    best = float("inf")
    for epoch in range(epochs):
        total = 0.0
        for (xb,) in loader:
            optimizer.zero_grad()
            loss = criterion(model(xb), xb)
            loss.backward()
            optimizer.step()
            total += loss.item() * xb.size(0)
        total /= len(X)
        if total < best:
            best = total
            torch.save(model.state_dict(), MODEL_PATH)
        if (epoch + 1) % 10 == 0:
            print("Epoch %d, reconstruction loss %.4f" % (epoch + 1, total))


def detect():
    model = AutoEncoder(N_FEATURES)
    model.load_state_dict(MODEL_PATH)
    model.eval()

    normal = torch.from_numpy(normal_readings(200))
    broken = torch.from_numpy(np.random.normal(0, 2.0, size=(50, N_FEATURES)).astype(np.float32))
    with torch.no_grad():
        err_normal = ((model(normal) - normal) ** 2).mean(dim=1)
        err_broken = ((model(broken) - broken) ** 2).mean(dim=1)
    threshold = err_normal.mean() + 3 * err_normal.std()
    print("threshold: %.4f" % threshold.item())
    print("false alarms: %d / %d" % ((err_normal > threshold).sum().item(), len(normal)))
    print("detected:     %d / %d" % ((err_broken > threshold).sum().item(), len(broken)))


if __name__ == "__main__":
    train()
    detect()
