from torch import nn


def conv(i, o, s=1, d=1):
    return nn.Sequential(nn.Conv2d(i, o, 3, s, d, d, bias=False), nn.BatchNorm2d(o), nn.ReLU(inplace=True))


class PoseNet(nn.Module):
    def __init__(self, n_points, channels):
        super().__init__()
        c = channels
        self.down = nn.Sequential(conv(1, c, 2), conv(c, c), conv(c, 2 * c, 2))
        self.context = nn.Sequential(conv(2 * c, 2 * c, d=2), conv(2 * c, 2 * c, d=4))
        self.maps = nn.Conv2d(2 * c, n_points, 1)

    def forward(self, x):
        x = self.down(x)
        return self.maps(x + self.context(x))
