import pandas as pd
import numpy as np
import torch
from torch import nn

df = pd.read_csv("power.csv", parse_dates=["date"])
print(df.head())

scaled = (df["kwh"] - df["kwh"].mean()) / df["kwh"].std()
scaled = scaled.values.astype("float32")


def create_sequences(data, lookback):
    xs, ys = [], []
    for i in range(len(data) - lookback):
        xs.append(data[i:i + lookback])
        ys.append(data[i + lookback])
    return np.array(xs), np.array(ys)


LOOKBACK = 14
X, y = create_sequences(scaled, LOOKBACK)
X = torch.from_numpy(X).unsqueeze(-1)
y = torch.from_numpy(y).unsqueeze(-1)
split = int(len(X) * 0.8)
X_train, X_test = X[:split], X[split:]
y_train, y_test = y[:split], y[split:]
print(X_train.shape, y_train.shape)


class LSTM(nn.Module):
    def __init__(self, input_size=1, hidden_size=32, num_layers=1):
        super().__init__()
        self.lstm = nn.LSTM(input_size, hidden_size, num_layers, batch_first=True)
        self.fc = nn.Linear(hidden_size, 1)

    def forward(self, x):
        out, (h, c) = self.lstm(x)
        return self.fc(out[:, -1, :])


torch.manual_seed(0)
model = LSTM()
loss_fn = nn.MSELoss()
opt = torch.optim.Adam(model.parameters(), lr=0.01)

for epoch in range(40):
    model.train()
    opt.zero_grad()
    pred = model(X_train)
    loss = loss_fn(pred, y_train)
    loss.backward()
    opt.step()
    if epoch % 5 == 0:
        print("epoch", epoch, "loss", loss.item())

model.eval()
with torch.no_grad():
    test_loss = loss_fn(model(X_test), y_test)
print("test mse", test_loss.item())
