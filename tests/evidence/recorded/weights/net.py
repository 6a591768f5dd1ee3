from torch import nn


def make(width, depth):
    layers = [nn.Linear(8, width), nn.ReLU()]
    for _ in range(depth):
        layers += [nn.Linear(width, width), nn.ReLU()]
    layers.append(nn.Linear(width, 3))
    return nn.Sequential(*layers)
