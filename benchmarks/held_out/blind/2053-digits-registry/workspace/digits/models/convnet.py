import torch.nn as nn

from ..registry import MODELS


@MODELS.register("convnet")
class ConvNet(nn.Module):
    def __init__(self, width=16, num_classes=10):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, width, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(width, 2 * width, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(2),
        )
        self.head = nn.Linear(8 * width, num_classes)

    def forward(self, x):
        return self.head(self.features(x).flatten(1))
