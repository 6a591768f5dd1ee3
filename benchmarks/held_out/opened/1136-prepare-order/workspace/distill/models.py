from torch import nn

from .shapes import MOTIONS


def conv(channels):
    return nn.Sequential(
        nn.Conv2d(1, channels, 3, padding=1), nn.BatchNorm2d(channels), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(channels, 2 * channels, 3, padding=1), nn.BatchNorm2d(2 * channels), nn.ReLU(),
        nn.AdaptiveAvgPool2d((5, 4)), nn.Flatten(), nn.Dropout(0.1),
        nn.Linear(2 * channels * 20, len(MOTIONS)),
    )


def mlp(width):
    return nn.Sequential(nn.Flatten(), nn.Linear(160, width), nn.GELU(), nn.Linear(width, len(MOTIONS)))


def create(spec):
    kinds = {"conv": conv, "mlp": mlp}
    spec = {k: v for k, v in spec.items() if k in ("kind", "channels", "width")}
    return kinds[spec.pop("kind")](**spec)
