import torch
import torch.nn as nn


class DoubleConv(nn.Module):
    def __init__(self, cin, cout, groups):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(cin, cout, 3, padding=1),
            nn.GroupNorm(groups, cout),
            nn.SiLU(),
            nn.Conv2d(cout, cout, 3, padding=1),
            nn.GroupNorm(groups, cout),
            nn.SiLU(),
        )

    def forward(self, x):
        return self.body(x)


class Up(nn.Module):
    """Upsample, concatenate the skip, two convs."""

    def __init__(self, cin, cskip, cout, groups):
        super().__init__()
        self.up = nn.ConvTranspose2d(cin, cout, 2, stride=2)
        self.conv = DoubleConv(cout + cskip, cout, groups)

    def forward(self, x, skip):
        x = self.up(x)
        x = torch.cat([x, skip], dim=1)
        return self.conv(x)
