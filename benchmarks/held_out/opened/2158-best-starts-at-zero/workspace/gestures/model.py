import torch.nn as nn


class GestureNet(nn.Module):
    def __init__(self, channels, kernel, classes):
        super().__init__()

        def unit(a, b):
            return nn.Sequential(nn.Conv1d(a, b, kernel, padding=kernel // 2), nn.BatchNorm1d(b), nn.ReLU(), nn.MaxPool1d(2))

        self.features = nn.Sequential(unit(3, channels), unit(channels, 2 * channels), nn.AdaptiveMaxPool1d(1), nn.Flatten())
        self.classifier = nn.Linear(2 * channels, classes)

    def forward(self, x):
        return self.classifier(self.features(x))
