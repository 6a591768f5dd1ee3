import torch
from torch import nn


class DoubleConv(nn.Sequential):
    def __init__(self, i, o):
        super().__init__(
            nn.Conv2d(i, o, 3, padding=1), nn.BatchNorm2d(o), nn.ReLU(inplace=True),
            nn.Conv2d(o, o, 3, padding=1), nn.BatchNorm2d(o), nn.ReLU(inplace=True),
        )


class UNet(nn.Module):
    def __init__(self, in_channels, classes, base_channels, depth):
        super().__init__()
        self.down, self.up, self.merge = nn.ModuleList(), nn.ModuleList(), nn.ModuleList()
        ch = base_channels
        self.stem = DoubleConv(in_channels, ch)
        for _ in range(depth):
            self.down.append(nn.Sequential(nn.MaxPool2d(2), DoubleConv(ch, ch * 2)))
            ch *= 2
        for _ in range(depth):
            self.up.append(nn.ConvTranspose2d(ch, ch // 2, 2, stride=2))
            self.merge.append(DoubleConv(ch, ch // 2))
            ch //= 2
        self.out = nn.Conv2d(ch, classes, 1)

    def forward(self, x):
        skips = [self.stem(x)]
        for layer in self.down:
            skips.append(layer(skips[-1]))
        x = skips.pop()
        for up, merge in zip(self.up, self.merge):
            x = up(x)
            x = torch.cat([skips.pop(), x], dim=1)
            x = merge(x)
        return self.out(x)
