from torch import nn


class CommandNet(nn.Module):
    def __init__(self, n_classes, width=24):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, width, 3, padding=1), nn.BatchNorm2d(width), nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(width, 2 * width, 3, padding=1), nn.BatchNorm2d(2 * width), nn.ReLU(),
            nn.AdaptiveAvgPool2d((4, 1)),
        )
        self.classify = nn.Linear(8 * width, n_classes)

    def forward(self, x):
        return self.classify(self.features(x).flatten(1))
