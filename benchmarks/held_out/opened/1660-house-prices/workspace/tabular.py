import torch
from torch import nn
from torch.utils.data import Dataset


class HouseDataset(Dataset):
    def __init__(self, features, target):
        self.features = features
        self.target = target

    def __len__(self):
        return len(self.features)

    def __getitem__(self, i):
        x = torch.tensor(self.features[i], dtype=torch.float32)
        y = torch.tensor(self.target[i], dtype=torch.float32)
        return x, y


class MLP(nn.Module):
    def __init__(self, n_in, hidden=(64, 32), dropout=0.1):
        super().__init__()
        layers = []
        for h in hidden:
            layers += [nn.Linear(n_in, h), nn.ReLU(), nn.Dropout(dropout)]
            n_in = h
        layers.append(nn.Linear(n_in, 1))
        self.net = nn.Sequential(*layers)

    def forward(self, x):
        return self.net(x).squeeze(-1)
