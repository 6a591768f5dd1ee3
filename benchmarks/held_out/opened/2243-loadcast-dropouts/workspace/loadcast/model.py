import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, channels, kernel, dilation):
        super().__init__()
        self.pad = (kernel - 1) * dilation
        self.conv = nn.Conv1d(channels, channels, kernel, dilation=dilation)

    def forward(self, x):
        y = nn.functional.pad(x, (self.pad, 0))
        return x + torch.relu(self.conv(y))


class TCN(nn.Module):
    def __init__(self, inputs, horizon, channels, kernel, blocks):
        super().__init__()
        self.inp = nn.Conv1d(inputs, channels, 1)
        self.blocks = nn.Sequential(*[Block(channels, kernel, 2**i) for i in range(blocks)])
        self.out = nn.Linear(channels, horizon)

    def forward(self, x):
        return self.out(self.blocks(self.inp(x))[..., -1])
