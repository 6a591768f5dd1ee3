import torch
from torch import nn


class Encoder(nn.Module):
    """Strided conv front end, one BiGRU, frame-wise log-probabilities."""

    def __init__(self, n_mels, channels, strides, kernel, hidden, n_symbols):
        super().__init__()
        self.kernel = kernel
        self.strides = list(strides)
        convs, width = [], n_mels
        for s in self.strides:
            convs += [nn.Conv1d(width, channels, kernel, stride=s, padding=kernel // 2),
                      nn.BatchNorm1d(channels), nn.ReLU()]
            width = channels
        self.front = nn.Sequential(*convs)
        self.rnn = nn.GRU(channels, hidden, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * hidden, n_symbols)

    def lengths(self, n):
        return torch.div(n + 3, 4, rounding_mode="floor")

    def forward(self, x):
        h = self.front(x.transpose(1, 2)).transpose(1, 2)
        h, _ = self.rnn(h)
        return self.out(h).log_softmax(-1)
