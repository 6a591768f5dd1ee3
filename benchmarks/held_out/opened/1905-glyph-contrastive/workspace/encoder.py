from torch import nn
import torch.nn.functional as F


class Encoder(nn.Module):
    def __init__(self, width, proj_dim):
        super().__init__()
        w = width
        self.trunk = nn.Sequential(
            nn.Conv2d(1, w, 5, 2, 2), nn.BatchNorm2d(w), nn.ReLU(),
            nn.Conv2d(w, 2 * w, 3, 2, 1), nn.BatchNorm2d(2 * w), nn.ReLU(),
            nn.Conv2d(2 * w, 4 * w, 3, 2, 1), nn.BatchNorm2d(4 * w), nn.ReLU(),
            nn.AdaptiveAvgPool2d(1), nn.Flatten(),
        )
        self.proj = nn.Sequential(nn.Linear(4 * w, 4 * w), nn.ReLU(), nn.Linear(4 * w, proj_dim))

    def features(self, x):
        return F.normalize(self.trunk(x), dim=1)

    def forward(self, x):
        return F.normalize(self.proj(self.trunk(x)), dim=1)
