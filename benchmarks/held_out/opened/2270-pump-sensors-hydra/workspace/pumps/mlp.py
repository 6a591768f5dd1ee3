import torch.nn as nn

from .base import Detector


class MLPDetector(Detector):
    def __init__(self, n_channels, window, hidden, lr):
        super().__init__()
        self.lr = lr
        sizes = [n_channels * window, *hidden]
        layers = [nn.Flatten()]
        for a, b in zip(sizes, sizes[1:]):
            layers += [nn.Linear(a, b), nn.ReLU()]
        self.net = nn.Sequential(*layers, nn.Linear(sizes[-1], 1))

    def forward(self, x):
        return self.net(x).squeeze(-1)
