from torch import nn


class ChurnNet(nn.Module):
    def __init__(self, n_features, hidden=128, depth=3):
        super().__init__()
        layers, d = [], n_features
        for _ in range(depth):
            layers += [nn.Linear(d, hidden), nn.ReLU()]
            d = hidden
        self.body = nn.Sequential(*layers)
        self.out = nn.Linear(d, 1)

    def forward(self, x):
        return self.out(self.body(x)).squeeze(-1)
