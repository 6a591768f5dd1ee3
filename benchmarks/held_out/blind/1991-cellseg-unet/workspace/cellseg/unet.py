import torch.nn as nn

from .blocks import DoubleConv, Up


class Encoder(nn.Module):
    def __init__(self, in_channels, widths, groups):
        super().__init__()
        chans = (in_channels, *widths)
        self.stages = nn.ModuleList(DoubleConv(a, b, groups) for a, b in zip(chans, chans[1:]))
        self.pool = nn.MaxPool2d(2)

    def forward(self, x):
        skips = []
        for stage in self.stages:
            x = stage(x)
            skips.append(x)
            x = self.pool(x)
        return x, skips


class Decoder(nn.Module):
    def __init__(self, bottleneck, widths, groups):
        super().__init__()
        ups = []
        cin = bottleneck
        for width in reversed(widths):
            ups.append(Up(cin, width, width, groups))
            cin = width
        self.ups = nn.ModuleList(ups)

    def forward(self, x, skips):
        for up, skip in zip(self.ups, skips):
            x = up(x, skip)
        return x


class UNet(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.encoder = Encoder(cfg.in_channels, cfg.widths, cfg.norm_groups)
        self.middle = DoubleConv(cfg.widths[-1], cfg.bottleneck, cfg.norm_groups)
        self.decoder = Decoder(cfg.bottleneck, cfg.widths, cfg.norm_groups)
        self.classify = nn.Conv2d(cfg.widths[0], cfg.classes, 1)

    def forward(self, x):
        x, skips = self.encoder(x)
        x = self.middle(x)
        x = self.decoder(x, skips)
        return self.classify(x)
