import torch
import torch.nn as nn
import torch.nn.functional as F


class Block(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.c1 = nn.Conv2d(i, o, 3, padding=1)
        self.c2 = nn.Conv2d(o, o, 3, padding=1)
        self.n1, self.n2 = nn.BatchNorm2d(o), nn.BatchNorm2d(o)
        self.skip = nn.Conv2d(i, o, 1)

    def forward(self, x):
        h = F.relu(self.n1(self.c1(x)))
        return F.relu(self.n2(self.c2(h)) + self.skip(x))


class Embedder(nn.Module):
    def __init__(self, dim, width=16):
        super().__init__()
        self.b1 = Block(1, width)
        self.b2 = Block(width, 2 * width)
        self.fc = self.make_head(2 * width, dim)

    def make_head(self, i, dim):
        return nn.Sequential(nn.Linear(i * 4, 64), nn.ReLU(), nn.Linear(64, dim))

    def forward(self, x):
        x = F.max_pool2d(self.b1(x), 2)
        x = F.max_pool2d(self.b2(x), 2)
        return F.normalize(self.fc(x.flatten(1)), dim=1)
