#
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

np.random.seed(7)
torch.manual_seed(7)
WINDOW = 20
HIDDEN = 32
LEARNING_RATE = 5e-3
EPOCHS = 4


class SineWindows(Dataset):
    def __init__(self, series, window):
        self.series = torch.tensor(series, dtype=torch.float32)
        self.window = window

    def __len__(self):
        return len(self.series) - self.window

    def __getitem__(self, i):
        return self.series[i : i + self.window].unsqueeze(-1), self.series[i + self.window]


class Forecaster(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(1, HIDDEN, batch_first=True)
        self.head = nn.Linear(HIDDEN, 1)

    def forward(self, x):
        output, _ = self.lstm(x)
        output = output.detach()
        return self.head(output[:, -1]).squeeze(-1)


t = np.arange(2500)
series = np.sin(t * 0.1) + 0.1 * np.random.randn(len(t))
train_ds = SineWindows(series[:2000], WINDOW)
valid_ds = SineWindows(series[2000:], WINDOW)
train_dl = DataLoader(train_ds, batch_size=64, shuffle=True)
valid_dl = DataLoader(valid_ds, batch_size=128)

model = Forecaster()
optimizer = torch.optim.Adam(model.parameters(), lr=LEARNING_RATE)
mse = nn.MSELoss()


def run_epoch(loader, train):
    model.train(train)
    total, count = 0.0, 0
    for x, y in loader:
        with torch.set_grad_enabled(train):
            prediction = model(x)
            loss = mse(prediction, y)
        if train:
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
        total += loss.item() * len(y)
        count += len(y)
    return total / count


for epoch in range(EPOCHS):
    train_loss = run_epoch(train_dl, True)
    valid_loss = run_epoch(valid_dl, False)
    print(f"epoch {epoch + 1}/{EPOCHS} - loss: {train_loss:.5f} - val_loss: {valid_loss:.5f}")
print(f"final rmse {valid_loss ** 0.5:.5f}")
