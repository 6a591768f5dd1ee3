from torch import nn

from ..registry import MODELS


@MODELS.register
class PlainConv(nn.Sequential):
    def __init__(self, width, depth, classes):
        layers, c = [], 1
        for _ in range(depth):
            layers += [nn.Conv2d(c, width, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)]
            c = width
        super().__init__(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(c, classes))
