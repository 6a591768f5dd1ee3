import torch.nn as nn

from glyphs import PATTERNS


def build_network(width, depth):
    layers, cin = [], 1
    for _ in range(depth):
        layers += [nn.Conv2d(cin, width, 3, padding=1, bias=False), nn.BatchNorm2d(width), nn.ReLU()]
        cin = width
    layers += [nn.AdaptiveMaxPool2d(1), nn.Flatten(), nn.Linear(width, len(PATTERNS))]
    return nn.Sequential(*layers)
