import torch
from torch import nn


def double_conv(a, b):
    return nn.Sequential(
        nn.Conv2d(a, b, 3, padding=1), nn.BatchNorm2d(b), nn.ReLU(),
        nn.Conv2d(b, b, 3, padding=1), nn.BatchNorm2d(b), nn.ReLU())


class MiniUNet(nn.Module):
    def __init__(self, n_classes, width=12, depth=3):
        super().__init__()
        ws = [width * 2 ** i for i in range(depth)]
        self.down = nn.ModuleList([double_conv(a, b) for a, b in zip([3] + ws[:-1], ws)])
        self.up = nn.ModuleList([nn.ConvTranspose2d(b, a, 2, 2) for a, b in zip(ws[-2::-1], ws[:0:-1])])
        self.fuse = nn.ModuleList([double_conv(2 * a, a) for a in ws[-2::-1]])
        self.out = nn.Conv2d(width, n_classes, 1)

    def forward(self, x):
        skips = []
        for i, block in enumerate(self.down):
            x = block(x if i == 0 else nn.functional.max_pool2d(x, 2))
            skips.append(x)
        skips.pop()
        for up, fuse in zip(self.up, self.fuse):
            x = fuse(torch.cat([up(x), skips.pop()], 1))
        return self.out(x)
