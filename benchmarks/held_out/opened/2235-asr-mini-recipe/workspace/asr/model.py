import torch
from torch import nn


class ConvGRU(nn.Module):
    """Two strided convolutions over time, then a bidirectional GRU."""

    def __init__(self, n_bands, hidden, n_chars):
        super().__init__()
        self.conv1 = nn.Conv1d(n_bands, hidden, kernel_size=3, stride=2, padding=1)
        self.conv2 = nn.Conv1d(hidden, hidden, kernel_size=3, stride=2, padding=1)
        self.gru = nn.GRU(hidden, hidden, batch_first=True, bidirectional=True)
        self.proj = nn.Linear(2 * hidden, n_chars)

    @staticmethod
    def conv_length(n):
        return (n - 1) // 2 + 1

    def forward(self, feats, n_frames):
        x = feats.transpose(1, 2)
        x = torch.relu(self.conv1(x))
        x = torch.relu(self.conv2(x))
        x, _ = self.gru(x.transpose(1, 2))
        lengths = self.conv_length(self.conv_length(n_frames))
        return self.proj(x).log_softmax(-1), lengths
