import torch.nn as nn

from .base import Detector


class GRUDetector(Detector):
    def __init__(self, n_channels, hidden, layers, lr):
        super().__init__()
        self.lr = lr
        self.rnn = nn.GRU(n_channels, hidden, num_layers=layers, batch_first=True)
        self.out = nn.Linear(hidden, 1)

    def forward(self, x):
        _, h = self.rnn(x)
        return self.out(h[-1]).squeeze(-1)
