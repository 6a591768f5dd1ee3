import torch.nn.functional as F
from torch import nn


class CausalConv(nn.Module):
    def __init__(self, cin, cout, kernel_size, dilation):
        super().__init__()
        self.left = kernel_size * dilation
        self.conv = nn.Conv1d(cin, cout, kernel_size, dilation=dilation)

    def forward(self, x):
        return self.conv(F.pad(x, (self.left, 0)))


class ResidualBlock(nn.Module):
    def __init__(self, cin, cout, kernel_size, dilation, dropout):
        super().__init__()
        self.conv1 = CausalConv(cin, cout, kernel_size, dilation)
        self.conv2 = CausalConv(cout, cout, kernel_size, dilation)
        self.drop = nn.Dropout(dropout)
        self.skip = nn.Conv1d(cin, cout, 1) if cin != cout else nn.Identity()

    def forward(self, x):
        h = F.relu(self.conv1(x))
        h = self.drop(F.relu(self.conv2(h)))
        return F.relu(h + self.skip(x))


class TCN(nn.Module):
    """(batch, time, features) -> (batch, horizon)"""

    def __init__(self, n_features, horizon, channels, kernel_size=3, dropout=0.1):
        super().__init__()
        layers = []
        for i, c in enumerate(channels):
            cin = n_features if i == 0 else channels[i - 1]
            layers.append(ResidualBlock(cin, c, kernel_size, 2 ** i, dropout))
        self.blocks = nn.Sequential(*layers)
        self.out = nn.Linear(channels[-1], horizon)

    def forward(self, past):
        h = self.blocks(past.transpose(1, 2))
        return self.out(h[:, :, -1])
