import json
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

np.random.seed(0)
torch.manual_seed(0)

# x: trials x time x channels
npz = np.load("eeg_epochs.npz")
x, y = npz["x"], npz["y"]
info = json.load(open("info.json"))
print("data", x.shape, "channels", info["channels"])


def standardize(data):
    """zero mean, unit variance per trial and channel (over time)"""
    return (data - data.mean(axis=1)) / data.std(axis=1)


def band_limit(data, keep=15):
    spec = np.fft.rfft(data, axis=1)
    spec[:, keep:] = 0
    return np.fft.irfft(spec, n=data.shape[1], axis=1)


x = band_limit(x)
order = np.random.permutation(len(x))
train, test = order[:54], order[54:]
x_train = standardize(x[train])
x_test = standardize(x[test])


def loader(data, target, shuffle):
    ds = TensorDataset(torch.tensor(data, dtype=torch.float32), torch.tensor(target, dtype=torch.long))
    return DataLoader(ds, batch_size=18, shuffle=shuffle)


train_dl, test_dl = loader(x_train, y[train], True), loader(x_test, y[test], False)


class EEGNet(nn.Module):
    def __init__(self, n_channels, hidden=24):
        super().__init__()
        self.gru = nn.GRU(n_channels, hidden, batch_first=True, bidirectional=True)
        self.fc = nn.Linear(2 * hidden, 2)

    def forward(self, x):
        out, _ = self.gru(x)
        return self.fc(out.mean(dim=1))


net = EEGNet(len(info["channels"]))
opt = torch.optim.Adam(net.parameters(), lr=5e-3)
for epoch in range(5):
    for xb, yb in train_dl:
        loss = nn.functional.cross_entropy(net(xb), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        acc = np.mean([(net(xb).argmax(1) == yb).float().mean().item() for xb, yb in test_dl])
    print(f"epoch {epoch} loss {loss.item():.3f} acc {acc:.2f}")
