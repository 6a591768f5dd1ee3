import torch.nn as nn

from ..registry import MODELS


@MODELS.register("mlp")
class MLP(nn.Module):
    def __init__(self, hidden=64, depth=2, num_classes=10):
        super().__init__()
        layers, d = [nn.Flatten()], 64
        for _ in range(depth):
            layers += [nn.Linear(d, hidden), nn.ReLU()]
            d = hidden
        self.net = nn.Sequential(*layers, nn.Linear(d, num_classes))

    def forward(self, x):
        return self.net(x)
