import torch
from torch import nn


class ConvKWS(nn.Module):
    """1-D convolutions over time, frequency bins are the channels."""

    def __init__(self, n_bins, n_words, width=24):
        super().__init__()
        self.norm = nn.BatchNorm1d(n_bins)
        self.conv1 = nn.Conv1d(n_bins, width, 3, padding=1)
        self.conv2 = nn.Conv1d(width, width, 3, padding=1)
        self.fc = nn.Linear(width, n_words)

    def forward(self, spec):
        h = torch.relu(self.conv1(self.norm(spec)))
        h = torch.relu(self.conv2(h))
        return self.fc(h.amax(dim=2))
