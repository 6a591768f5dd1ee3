from torch import nn

from waferseg.models.blocks import Down, Up, double_conv


class UNet(nn.Module):
    def __init__(self, in_channels, num_classes, base=8, depth=3):
        super().__init__()
        widths = [base * 2 ** i for i in range(depth + 1)]
        self.stem = double_conv(in_channels, widths[0])
        self.downs = nn.ModuleList(Down(a, b) for a, b in zip(widths[:-1], widths[1:]))
        self.ups = nn.ModuleList(Up(b, a, a) for a, b in zip(reversed(widths[:-1]), reversed(widths[1:])))
        self.head = nn.Conv2d(widths[0], num_classes, 1)

    def forward(self, x):
        skips = [self.stem(x)]
        for down in self.downs:
            skips.append(down(skips[-1]))
        x = skips.pop()
        for up in self.ups:
            x = up(x, skips.pop())
        return self.head(x)


class FCN(nn.Module):
    """Plain stack without skips, the baseline of the report."""

    def __init__(self, in_channels, num_classes, width=16, layers=4):
        super().__init__()
        mods = [nn.Conv2d(in_channels, width, 3, padding=1), nn.ReLU()]
        for i in range(layers - 1):
            mods += [nn.Conv2d(width, width, 3, padding=2 ** (i % 3), dilation=2 ** (i % 3)), nn.ReLU()]
        mods.append(nn.Conv2d(width, num_classes, 1))
        self.net = nn.Sequential(*mods)

    def forward(self, x):
        return self.net(x)
