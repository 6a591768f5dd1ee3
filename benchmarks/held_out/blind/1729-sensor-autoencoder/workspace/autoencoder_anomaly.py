import os
import torch
import torch.nn as nn
import numpy as np

SAVE_PATH = "ae_best.pth"


class AutoEncoder(nn.Module):
    def __init__(self, n_features, hidden=24, code=6):
        super(AutoEncoder, self).__init__()
        self.encoder = nn.Sequential(
            nn.Linear(n_features, hidden), nn.ReLU(), nn.Linear(hidden, code)
        )
        self.decoder = nn.Sequential(
            nn.Linear(code, hidden), nn.ReLU(), nn.Linear(hidden, n_features)
        )

    def forward(self, x):
        return self.decoder(self.encoder(x))


def make_sensor_data(n, anomalies=0):
    rng = np.random.RandomState(n)
    base = rng.randn(n, 4)
    mix = np.random.RandomState(0).randn(4, 20)
    data = base @ mix + 0.05 * rng.randn(n, 20)
    if anomalies > 0:
        data[:anomalies] += rng.randn(anomalies, 20) * 3
    return data.astype(np.float32)


def train(model, data, epochs=30):
    opt = torch.optim.Adam(model.parameters(), lr=5e-3)
    loss_func = nn.MSELoss()
    best = float("inf")
    loader = torch.utils.data.DataLoader(torch.tensor(data), batch_size=64, shuffle=True)
    for ep in range(epochs):
        losses = []
        for xb in loader:
            rec = model(xb)
            loss = loss_func(rec, xb)
            opt.zero_grad()
            loss.backward()
            opt.step()
            losses.append(loss.item())
        avg = np.mean(losses)
        if avg < best:
            best = avg
            torch.save(model.state_dict(), SAVE_PATH)
        if ep % 10 == 0:
            print("epoch", ep, "mse", avg)
    print("best:", best)


def detect(data, threshold):
    model = AutoEncoder(n_features=20)
    model.load_state_dict(torch.load(SAVE_PATH))
    model.eval()
    with torch.no_grad():
        x = torch.tensor(data)
        err = ((model(x) - x) ** 2).mean(dim=1)
    return np.where(err.numpy() > threshold)[0]


if __name__ == "__main__":
    torch.manual_seed(3)
    train_data = make_sensor_data(1000)
    ae = AutoEncoder(n_features=20, hidden=32)
    train(ae, train_data)
    found = detect(make_sensor_data(200, anomalies=5), threshold=1.5)
    print("anomalies at rows:", found)
    os.remove(SAVE_PATH)
