import torch
from torch import nn


class BeatNet(nn.Module):
    """Two conv blocks and a linear read-out over the whole beat."""

    def __init__(self, length, channels, n_classes):
        super().__init__()
        c1, c2 = channels
        self.block1 = nn.Sequential(nn.Conv1d(1, c1, 7, padding=3), nn.BatchNorm1d(c1), nn.ReLU(), nn.MaxPool1d(4))
        self.block2 = nn.Sequential(nn.Conv1d(c1, c2, 5, padding=2), nn.BatchNorm1d(c2), nn.ReLU())
        self.readout = nn.Linear(c2 * (length // 4), n_classes)

    def forward(self, x):
        h = self.block2(self.block1(x))
        return self.readout(torch.flatten(h, 1))
