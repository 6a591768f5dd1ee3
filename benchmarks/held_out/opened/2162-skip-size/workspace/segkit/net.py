import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, c_in, c_out, norm="batch"):
        super().__init__()
        make_norm = nn.BatchNorm2d if norm == "batch" else (lambda c: nn.GroupNorm(4, c))
        self.body = nn.Sequential(
            nn.Conv2d(c_in, c_out, 3, padding=1, bias=False),
            make_norm(c_out),
            nn.SiLU(),
            nn.Conv2d(c_out, c_out, 3, padding=1, bias=False),
            make_norm(c_out),
            nn.SiLU(),
        )

    def forward(self, x):
        return self.body(x)


class Down(nn.Module):
    def __init__(self, c_in, c_out, norm):
        super().__init__()
        self.pool = nn.MaxPool2d(2)
        self.block = Block(c_in, c_out, norm)

    def forward(self, x):
        return self.block(self.pool(x))


class Up(nn.Module):
    def __init__(self, c_in, c_skip, c_out, norm):
        super().__init__()
        self.up = nn.ConvTranspose2d(c_in, c_out, 2, stride=2)
        self.block = Block(c_out + c_skip, c_out, norm)

    def forward(self, x, skip):
        x = self.up(x)
        return self.block(torch.cat([x, skip], dim=1))


class HourGlass(nn.Module):
    """Encoder/decoder with skips; one level per entry of widths."""

    def __init__(self, widths, n_classes, norm="batch"):
        super().__init__()
        self.stem = Block(1, widths[0], norm)
        self.downs = nn.ModuleList(Down(a, b, norm) for a, b in zip(widths[:-1], widths[1:]))
        rev = list(reversed(widths))
        self.ups = nn.ModuleList(Up(a, b, b, norm) for a, b in zip(rev[:-1], rev[1:]))
        self.head = nn.Conv2d(widths[0], n_classes, 1)

    def forward(self, x):
        skips = [self.stem(x)]
        for d in self.downs:
            skips.append(d(skips[-1]))
        y = skips.pop()
        for u in self.ups:
            y = u(y, skips.pop())
        return self.head(y)
