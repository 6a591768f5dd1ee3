import torch
import torch.nn as nn


class ConvNet(nn.Module):
    def __init__(self, n_classes, width, kernel, dropout):
        super().__init__()
        pad = kernel // 2
        self.body = nn.Sequential(
            nn.Conv1d(1, width, kernel, stride=2, padding=pad), nn.BatchNorm1d(width), nn.ReLU(),
            nn.Conv1d(width, 2 * width, kernel, stride=2, padding=pad), nn.BatchNorm1d(2 * width), nn.ReLU(),
            nn.AdaptiveMaxPool1d(1), nn.Flatten(), nn.Dropout(dropout),
        )
        self.head = nn.Linear(2 * width, n_classes)

    def forward(self, x):
        return self.head(self.body(x[:, None]))


class SpectrumMLP(nn.Module):
    def __init__(self, window, n_classes, width):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(window // 2 + 1, width), nn.ReLU(), nn.Linear(width, n_classes))

    def forward(self, x):
        return self.net(torch.log1p(torch.fft.rfft(x).abs()))
