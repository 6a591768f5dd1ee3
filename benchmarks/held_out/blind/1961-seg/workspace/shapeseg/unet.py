from __future__ import annotations

import torch
from torch import nn


def conv_block(c_in: int, c_out: int, norm: str) -> nn.Sequential:
    norm_layer = nn.BatchNorm2d if norm == "batch" else nn.InstanceNorm2d
    return nn.Sequential(
        nn.Conv2d(c_in, c_out, 3, padding=1, bias=False),
        norm_layer(c_out),
        nn.ReLU(inplace=True),
        nn.Conv2d(c_out, c_out, 3, padding=1, bias=False),
        norm_layer(c_out),
        nn.ReLU(inplace=True),
    )


class UNet(nn.Module):
    def __init__(self, in_channels: int, n_classes: int, width: int, depth: int, norm: str) -> None:
        super().__init__()
        chans = [width * 2**i for i in range(depth + 1)]
        self.stem = conv_block(in_channels, chans[0], norm)
        self.down = nn.ModuleList(conv_block(chans[i], chans[i + 1], norm) for i in range(depth))
        self.pool = nn.MaxPool2d(2)
        self.up = nn.ModuleList(
            nn.ConvTranspose2d(chans[i + 1], chans[i], 2, stride=2) for i in reversed(range(depth))
        )
        self.merge = nn.ModuleList(
            conv_block(2 * chans[i], chans[i], norm) for i in reversed(range(depth))
        )
        self.head = nn.Conv2d(chans[0], n_classes, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.stem(x)
        skips = []
        for block in self.down:
            skips.append(x)
            x = block(self.pool(x))
        for up, merge in zip(self.up, self.merge):
            x = up(x)
            x = merge(torch.cat([skips.pop(), x], dim=1))
        return self.head(x)
