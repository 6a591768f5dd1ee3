import torch
from torch import nn


class RiskMLP(nn.Module):
    def __init__(self, n_in, widths=(32, 16)):
        super().__init__()
        layers = []
        for a, b in zip((n_in, *widths[:-1]), widths):
            layers += [nn.Linear(a, b), nn.SiLU(), nn.Dropout(0.1)]
        self.body = nn.Sequential(*layers)
        self.out = nn.Linear(widths[-1], 1)

    def forward(self, x):
        return self.out(self.body(x)).squeeze(-1)

    @torch.no_grad()
    def probability(self, x):
        self.eval()
        return torch.sigmoid(self(x))
