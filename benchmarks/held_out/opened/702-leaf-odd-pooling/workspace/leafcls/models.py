import torch
from torch import nn

from .registry import MODELS


def conv_block(cin, cout):
    return nn.Sequential(
        nn.Conv2d(cin, cout, 3),
        nn.BatchNorm2d(cout),
        nn.ReLU(),
        nn.MaxPool2d(2),
    )


@MODELS.register("leafnet")
class LeafNet(nn.Module):
    def __init__(self, in_channels, widths, num_classes, dropout, image_size):
        super().__init__()
        blocks = []
        prev = in_channels
        for w in widths:
            blocks.append(conv_block(prev, w))
            prev = w
        self.features = nn.Sequential(*blocks)
        side = image_size // 2 ** len(widths)
        self.head = nn.Sequential(
            nn.Flatten(),
            nn.Dropout(dropout),
            nn.Linear(prev * side * side, num_classes),
        )

    def forward(self, x):
        return self.head(self.features(x))
