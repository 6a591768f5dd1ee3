import torch.nn.functional as F
from torch import nn


class Trunk(nn.Module):
    def __init__(self, features, sizes, dropout):
        super().__init__()
        layers = []
        for size in sizes:
            layers += [nn.Linear(features, size), nn.BatchNorm1d(size), nn.ReLU(), nn.Dropout(dropout)]
            features = size
        self.layers = nn.Sequential(*layers)

    def forward(self, x):
        return self.layers(x)


class Embedder(nn.Module):
    def __init__(self, inputs, size):
        super().__init__()
        self.fc = nn.Linear(inputs, size)

    def forward(self, x):
        return F.normalize(self.fc(x), dim=-1)
