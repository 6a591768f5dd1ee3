import torch.nn as nn


def conv(cin, cout, stride=1):
    return nn.Sequential(nn.Conv2d(cin, cout, 3, stride, 1, bias=False), nn.BatchNorm2d(cout), nn.ReLU(True))


class HeatmapNet(nn.Module):
    """Down by 8, up once: maps at a quarter of the input size."""

    def __init__(self, joints, base=12):
        super().__init__()
        self.stem = conv(3, base, 2)
        self.down1 = conv(base, base * 2, 2)
        self.down2 = conv(base * 2, base * 2, 2)
        self.up = nn.Upsample(scale_factor=2, mode="nearest")
        self.fuse = conv(base * 4, base * 2)
        self.out = nn.Conv2d(base * 2, joints, 1)

    def forward(self, x):
        a = self.down1(self.stem(x))
        b = self.up(self.down2(a))
        return self.out(self.fuse(self.cat(a, b)))

    @staticmethod
    def cat(*maps):
        import torch
        return torch.cat(maps, dim=1)
