import torch
from torch import nn


def double_conv(cin, cout, p):
    return nn.Sequential(
        nn.Conv2d(cin, cout, 3, padding=1, bias=False),
        nn.BatchNorm2d(cout),
        nn.ReLU(inplace=True),
        nn.Dropout2d(p),
        nn.Conv2d(cout, cout, 3, padding=1, bias=False),
        nn.BatchNorm2d(cout),
        nn.ReLU(inplace=True),
    )


class Up(nn.Module):
    def __init__(self, cin, cout, p):
        super().__init__()
        self.up = nn.ConvTranspose2d(cin, cout, 2, stride=2)
        self.conv = double_conv(2 * cout, cout, p)

    def forward(self, x, skip):
        x = self.up(x)
        x = torch.cat([skip, x], dim=1)
        return self.conv(x)


class UNet(nn.Module):
    def __init__(self, in_channels=1, base=8, depth=3, dropout=0.0):
        super().__init__()
        widths = [base * 2 ** i for i in range(depth + 1)]
        self.downs = nn.ModuleList()
        c = in_channels
        for w in widths[:-1]:
            self.downs.append(double_conv(c, w, dropout))
            c = w
        self.pool = nn.MaxPool2d(2)
        self.mid = double_conv(c, widths[-1], dropout)
        self.ups = nn.ModuleList(
            Up(widths[i + 1], widths[i], dropout) for i in reversed(range(depth))
        )
        self.head = nn.Conv2d(base, 1, 1)

    def forward(self, x):
        skips = []
        for down in self.downs:
            x = down(x)
            skips.append(x)
            x = self.pool(x)
        x = self.mid(x)
        for up in self.ups:
            x = up(x, skips.pop())
        return self.head(x)
