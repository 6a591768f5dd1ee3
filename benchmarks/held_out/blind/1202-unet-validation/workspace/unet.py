import torch
from torch import nn


def double_conv(cin, cout):
    return nn.Sequential(
        nn.Conv2d(cin, cout, 3, padding=1, bias=False),
        nn.BatchNorm2d(cout),
        nn.ReLU(inplace=True),
        nn.Conv2d(cout, cout, 3, padding=1, bias=False),
        nn.BatchNorm2d(cout),
        nn.ReLU(inplace=True),
    )


class UNet(nn.Module):
    def __init__(self, channels=1, width=64, levels=3):
        super().__init__()
        widths = [width * 2**i for i in range(levels)]
        self.inc = double_conv(channels, width)
        self.down = nn.ModuleList(double_conv(a, b) for a, b in zip(widths, widths[1:]))
        self.up = nn.ModuleList(
            nn.ConvTranspose2d(b, a, 2, stride=2) for a, b in reversed(list(zip(widths, widths[1:])))
        )
        self.dec = nn.ModuleList(double_conv(2 * a, a) for a in reversed(widths[:-1]))
        self.out = nn.Conv2d(width, channels, 1)
        self.pool = nn.MaxPool2d(2)

    def forward(self, x):
        skips = [self.inc(x)]
        for block in self.down:
            skips.append(block(self.pool(skips[-1])))
        h = skips.pop()
        for up, dec in zip(self.up, self.dec):
            h = dec(torch.cat([up(h), skips.pop()], dim=1))
        return x - self.out(h)
