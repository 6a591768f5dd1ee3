import torch
from torch import nn


def conv_block(cin, cout, norm):
    layers = []
    for a, b in ((cin, cout), (cout, cout)):
        layers.append(nn.Conv2d(a, b, 3, padding=1, bias=norm is None))
        if norm == "batch":
            layers.append(nn.BatchNorm2d(b))
        elif norm == "instance":
            layers.append(nn.InstanceNorm2d(b, affine=True))
        layers.append(nn.ReLU(inplace=True))
    return nn.Sequential(*layers)


class Up(nn.Module):
    def __init__(self, cin, cskip, cout, norm):
        super().__init__()
        self.up = nn.ConvTranspose2d(cin, cskip, 2, stride=2)
        self.block = conv_block(2 * cskip, cout, norm)

    def forward(self, x, skip):
        x = self.up(x)
        return self.block(torch.cat([skip, x], dim=1))


class UNet(nn.Module):
    def __init__(self, in_channels, widths, norm="batch"):
        super().__init__()
        self.enc = nn.ModuleList()
        c = in_channels
        for w in widths:
            self.enc.append(conv_block(c, w, norm))
            c = w
        self.pool = nn.MaxPool2d(2)
        self.dec = nn.ModuleList(
            Up(widths[i], widths[i - 1], widths[i - 1], norm)
            for i in range(len(widths) - 1, 0, -1)
        )
        self.head = nn.Conv2d(widths[0], 1, 1)

    def forward(self, x):
        skips = []
        for i, block in enumerate(self.enc):
            x = block(x if i == 0 else self.pool(x))
            skips.append(x)
        skips.pop()
        for up in self.dec:
            x = up(x, skips.pop())
        return self.head(x)
