import torch
import torch.nn as nn


def conv_block(c_in, c_out):
    return nn.Sequential(
        nn.Conv2d(c_in, c_out, 3, padding=1, bias=False),
        nn.BatchNorm2d(c_out),
        nn.ReLU(inplace=True),
        nn.MaxPool2d(2),
    )


class LeafNet(nn.Module):
    def __init__(self, n_classes, width=16, embed=64, dropout=0.0):
        super().__init__()
        self.features = nn.Sequential(
            conv_block(3, width),
            conv_block(width, 2 * width),
            conv_block(2 * width, 4 * width),
        )
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.embed = nn.Linear(4 * width, embed)
        self.bn = nn.BatchNorm1d(embed)
        self.drop = nn.Dropout(dropout)
        self.classifier = nn.Linear(embed, n_classes)

    def forward(self, x):
        h = self.pool(self.features(x)).flatten(1)
        h = torch.relu(self.bn(self.embed(h)))
        return self.classifier(self.drop(h))
