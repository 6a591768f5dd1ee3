import torch
from torch import nn
import torch.nn.functional as F


class DoubleConv(nn.Sequential):
    def __init__(self, cin, cout):
        super().__init__(
            nn.Conv2d(cin, cout, 3, padding=1, bias=False), nn.BatchNorm2d(cout), nn.ReLU(inplace=True),
            nn.Conv2d(cout, cout, 3, padding=1, bias=False), nn.BatchNorm2d(cout), nn.ReLU(inplace=True),
        )


class SmallUNet(nn.Module):
    def __init__(self, in_channels, num_classes, channels):
        super().__init__()
        self.encoders = nn.ModuleList()
        c = in_channels
        for ch in channels:
            self.encoders.append(DoubleConv(c, ch))
            c = ch
        self.decoders = nn.ModuleList(
            DoubleConv(hi + lo, lo) for hi, lo in zip(channels[:0:-1], channels[-2::-1])
        )
        self.classifier = nn.Conv2d(channels[0], num_classes, 1)

    def forward(self, x):
        feats = []
        for i, enc in enumerate(self.encoders):
            if i:
                x = F.max_pool2d(x, 2)
            x = enc(x)
            feats.append(x)
        feats.pop()
        for dec in self.decoders:
            skip = feats.pop()
            x = F.interpolate(x, size=skip.shape[-2:], mode="bilinear", align_corners=False)
            x = dec(torch.cat((skip, x), 1))
        return self.classifier(x)
