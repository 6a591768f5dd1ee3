import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, cin, cout):
        super().__init__()
        self.conv = nn.Conv2d(cin, cout, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(cout)
        self.pool = nn.MaxPool2d(2)

    def forward(self, x):
        return self.pool(torch.relu(self.norm(self.conv(x))))


class LeafNet(nn.Module):
    def __init__(self, width, depth, dropout, num_classes):
        super().__init__()
        layers, cin = [], 3
        for i in range(depth):
            cout = width * 2**i
            layers.append(Block(cin, cout))
            cin = cout
        self.trunk = nn.Sequential(*layers)
        self.head = nn.Sequential(
            nn.Linear(cin, 64),
            nn.BatchNorm1d(64),
            nn.ReLU(),
            nn.Dropout(dropout),
            nn.Linear(64, num_classes),
        )

    def forward(self, x):
        x = self.trunk(x).mean(dim=(2, 3))
        return self.head(x)
