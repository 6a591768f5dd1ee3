import torch
from torch import nn


def conv(a, b, stride=1):
    return nn.Sequential(nn.Conv2d(a, b, 3, stride, 1, bias=False), nn.BatchNorm2d(b), nn.ReLU(inplace=True))


class GridNet(nn.Module):
    stride = 8

    def __init__(self, n_classes, width=16):
        super().__init__()
        self.trunk = nn.Sequential(
            conv(3, width, 2), conv(width, 2 * width, 2), conv(2 * width, 4 * width, 2), conv(4 * width, 4 * width)
        )
        self.heat = nn.Conv2d(4 * width, n_classes, 1)
        self.geo = nn.Conv2d(4 * width, 4, 1)
        nn.init.constant_(self.heat.bias, -3.0)

    def forward(self, x):
        f = self.trunk(x)
        return self.heat(f), torch.sigmoid(self.geo(f))
