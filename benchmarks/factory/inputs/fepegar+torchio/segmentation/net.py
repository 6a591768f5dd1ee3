from torch import nn


def block(n_in, n_out):
    return nn.Sequential(nn.Conv3d(n_in, n_out, 3, padding=1), nn.InstanceNorm3d(n_out), nn.ReLU())


class SmallNet(nn.Module):
    def __init__(self, channels, classes):
        super().__init__()
        self.blocks = nn.Sequential(*[block(a, b) for a, b in zip(channels, channels[1:])])
        self.out = nn.Conv3d(channels[-1], classes, kernel_size=1)

    def forward(self, x):
        return self.out(self.blocks(x))
