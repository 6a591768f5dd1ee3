from torch import nn

from .registry import MODELS


@MODELS.register("linear")
class LinearProbe(nn.Module):
    def __init__(self, channels, window, classes):
        super().__init__()
        self.fc = nn.Linear(channels * window, classes)

    def forward(self, x):
        return self.fc(x.flatten(1))


@MODELS.register("conv")
class ConvNet(nn.Module):
    def __init__(self, channels, window, classes, width=16, dropout=0.0):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv1d(channels, width, 7, stride=2, padding=3),
            nn.BatchNorm1d(width),
            nn.ReLU(),
            nn.Conv1d(width, 2 * width, 5, stride=2, padding=2),
            nn.BatchNorm1d(2 * width),
            nn.ReLU(),
        )
        self.drop = nn.Dropout(dropout)
        self.head = nn.Linear(2 * width * (window // 4), classes)

    def pool(self, h):
        return h.flatten(1)

    def forward(self, x):
        return self.head(self.drop(self.pool(self.features(x))))


@MODELS.register("conv_gap")
class ConvGap(ConvNet):
    """Same trunk with global average pooling."""

    def __init__(self, channels, window, classes, width=16, dropout=0.0):
        super().__init__(channels, window, classes, width, dropout)
        self.head = nn.Linear(2 * width, classes)

    def pool(self, h):
        return h.mean(-1)
