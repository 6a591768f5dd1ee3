import torch
from torch import nn


class ConvBlock(nn.Sequential):
    def __init__(self, cin, cout):
        super().__init__(
            nn.Conv2d(cin, cout, 3, padding=1, bias=False),
            nn.BatchNorm2d(cout),
            nn.ReLU(inplace=True),
            nn.Conv2d(cout, cout, 3, padding=1, bias=False),
            nn.BatchNorm2d(cout),
            nn.ReLU(inplace=True),
        )


class UpBlock(nn.Module):
    def __init__(self, cin, cskip, cout):
        super().__init__()
        self.up = nn.ConvTranspose2d(cin, cout, kernel_size=2, stride=2)
        self.conv = ConvBlock(cout + cskip, cout)

    def forward(self, x, skip):
        x = self.up(x)
        return self.conv(torch.cat([skip, x], dim=1))


class UNet(nn.Module):
    def __init__(self, in_channels, num_classes, base_width=16, depth=4):
        super().__init__()
        widths = [base_width * 2**i for i in range(depth + 1)]
        self.stem = ConvBlock(in_channels, widths[0])
        self.pool = nn.MaxPool2d(2)
        self.down = nn.ModuleList(ConvBlock(a, b) for a, b in zip(widths[:-1], widths[1:]))
        self.ups = nn.ModuleList(
            UpBlock(b, a, a) for a, b in reversed(list(zip(widths[:-1], widths[1:])))
        )
        self.head = nn.Conv2d(widths[0], num_classes, 1)

    def forward(self, x):
        x = self.stem(x)
        skips = []
        for block in self.down:
            skips.append(x)
            x = block(self.pool(x))
        for block in self.ups:
            x = block(x, skips.pop())
        return self.head(x)
