import torch
import torch.nn as nn


class ConvBlock(nn.Module):
    def __init__(self, c_in, c_out, dropout=0.0):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(c_in, c_out, 3, padding=1, bias=False),
            nn.BatchNorm2d(c_out),
            nn.ReLU(inplace=True),
            nn.Dropout2d(dropout),
            nn.Conv2d(c_out, c_out, 3, padding=1, bias=False),
            nn.BatchNorm2d(c_out),
            nn.ReLU(inplace=True),
        )

    def forward(self, x):
        return self.body(x)


class UNet(nn.Module):
    def __init__(self, in_channels, num_classes, widths, dropout=0.0):
        super().__init__()
        self.encoder = nn.ModuleList()
        previous = in_channels
        for width in widths:
            self.encoder.append(ConvBlock(previous, width, dropout))
            previous = width
        self.pool = nn.MaxPool2d(2)
        self.up = nn.ModuleList()
        self.decoder = nn.ModuleList()
        for width in reversed(widths[:-1]):
            self.up.append(nn.ConvTranspose2d(previous, width, 2, stride=2))
            self.decoder.append(ConvBlock(previous + width, width))
            previous = width
        self.head = nn.Conv2d(previous, num_classes, 1)

    def forward(self, x):
        skips = []
        for i, block in enumerate(self.encoder):
            x = block(x)
            if i < len(self.encoder) - 1:
                skips.append(x)
                x = self.pool(x)
        for up, block, skip in zip(self.up, self.decoder, reversed(skips)):
            x = up(x)
            x = block(torch.cat([skip, x], dim=1))
        return self.head(x)
