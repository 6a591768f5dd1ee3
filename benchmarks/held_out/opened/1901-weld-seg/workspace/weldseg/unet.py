import torch
from torch import nn


def double_conv(cin, cout, dropout=0.0):
    return nn.Sequential(
        nn.Conv2d(cin, cout, 3, padding=1, bias=False), nn.BatchNorm2d(cout), nn.ReLU(inplace=True),
        nn.Dropout2d(dropout),
        nn.Conv2d(cout, cout, 3, padding=1, bias=False), nn.BatchNorm2d(cout), nn.ReLU(inplace=True),
    )


class UNet(nn.Module):
    def __init__(self, in_channels, n_classes, widths, dropout=0.0):
        super().__init__()
        self.down = nn.ModuleList()
        c = in_channels
        for w in widths:
            self.down.append(double_conv(c, w, dropout))
            c = w
        self.pool = nn.MaxPool2d(2)
        self.bridge = double_conv(c, c * 2, dropout)
        c = c * 2
        self.up, self.merge = nn.ModuleList(), nn.ModuleList()
        for w in reversed(widths):
            self.up.append(nn.ConvTranspose2d(c, w, 2, stride=2))
            self.merge.append(double_conv(2 * w, w))
            c = w
        self.classifier = nn.Conv2d(c, n_classes, 1)

    def forward(self, x):
        skips = []
        for block in self.down:
            x = block(x)
            skips.append(x)
            x = self.pool(x)
        x = self.bridge(x)
        for up, merge, skip in zip(self.up, self.merge, reversed(skips)):
            x = merge(torch.cat([up(x), skip], dim=1))
        return self.classifier(x)
