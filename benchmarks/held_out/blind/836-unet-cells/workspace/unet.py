import torch
import torch.nn as nn


def double_conv(cin, cout):
    return nn.Sequential(
        nn.Conv2d(cin, cout, 3, padding=1), nn.BatchNorm2d(cout), nn.ReLU(inplace=True),
        nn.Conv2d(cout, cout, 3, padding=1), nn.BatchNorm2d(cout), nn.ReLU(inplace=True),
    )


class UNet(nn.Module):
    def __init__(self, in_channels, n_classes, base=16, depth=3):
        super().__init__()
        widths = [base * 2 ** i for i in range(depth + 1)]
        self.inc = double_conv(in_channels, widths[0])
        self.downs = nn.ModuleList()
        self.ups = nn.ModuleList()
        self.dec = nn.ModuleList()
        for a, b in zip(widths[:-1], widths[1:]):
            self.downs.append(nn.Sequential(nn.MaxPool2d(2), double_conv(a, b)))
        for a, b in zip(widths[::-1][:-1], widths[::-1][1:]):
            self.ups.append(nn.ConvTranspose2d(a, b, 2, stride=2))
            self.dec.append(double_conv(2 * b, b))
        self.outc = nn.Conv2d(widths[0], n_classes, 1)

    def forward(self, x):
        x = self.inc(x)
        skips = []
        for down in self.downs:
            skips.append(x)
            x = down(x)
        for up, dec in zip(self.ups, self.dec):
            x = up(x)
            x = dec(torch.cat([x, skips.pop()], dim=1))
        return self.outc(x)
