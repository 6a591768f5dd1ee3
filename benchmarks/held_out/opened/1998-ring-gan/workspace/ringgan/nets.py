import torch.nn as nn


def mlp(sizes, act):
    layers = []
    for i, (a, b) in enumerate(zip(sizes, sizes[1:])):
        layers.append(nn.Linear(a, b))
        if i < len(sizes) - 2:
            layers.append(act())
    return nn.Sequential(*layers)


class Generator(nn.Module):
    def __init__(self, noise_dim, hidden):
        super().__init__()
        self.net = mlp([noise_dim, *hidden, 2], nn.ReLU)

    def forward(self, z):
        return self.net(z)


class Discriminator(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.net = mlp([2, *hidden, 1], lambda: nn.LeakyReLU(0.2))

    def forward(self, x):
        return self.net(x).squeeze(1)
