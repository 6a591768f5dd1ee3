import torch.nn as nn


class ChurnNet(nn.Module):
    def __init__(self, n_in, hidden, dropout):
        super().__init__()
        layers = []
        for width in hidden:
            layers += [nn.Linear(n_in, width), nn.BatchNorm1d(width), nn.ReLU(), nn.Dropout(dropout)]
            n_in = width
        layers.append(nn.Linear(n_in, 1))
        self.layers = nn.Sequential(*layers)

    def forward(self, x):
        return self.layers(x).squeeze(1)
