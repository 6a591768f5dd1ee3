import torch
from torch import nn


class ConvBlock(nn.Module):
    def __init__(self, c_in, c_out, kernel):
        super().__init__()
        self.conv = nn.Conv1d(c_in, c_out, kernel, padding="same")
        self.bn = nn.BatchNorm1d(c_out)
        self.pool = nn.MaxPool1d(2, ceil_mode=True)

    def forward(self, x):
        return self.pool(torch.relu(self.bn(self.conv(x))))


def pooled_length(n, n_blocks):
    """Length of the time axis after n_blocks halvings."""
    for _ in range(n_blocks):
        n = n // 2
    return n


class BeatNet(nn.Module):
    """Small CNN over a fixed window with a second input for the RR intervals."""

    def __init__(self, cfg):
        super().__init__()
        widths = [cfg.n_leads] + cfg.channels
        self.blocks = nn.Sequential(
            *[ConvBlock(a, b, cfg.kernel) for a, b in zip(widths[:-1], widths[1:])]
        )
        t = pooled_length(cfg.window, len(cfg.channels))
        self.rr = nn.Sequential(nn.Linear(2, 8), nn.ReLU())
        self.head = nn.Sequential(
            nn.Linear(cfg.channels[-1] * t + 8, cfg.hidden),
            nn.ReLU(),
            nn.Dropout(cfg.dropout),
            nn.Linear(cfg.hidden, cfg.n_classes),
        )

    def forward(self, beat, rr):
        z = self.blocks(beat).flatten(1)
        z = torch.cat([z, self.rr(rr)], dim=1)
        return self.head(z)
