import torch.nn as nn
import torch.nn.functional as F


class Encoder(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv2d(1, width, 3, padding=1, bias=False), nn.BatchNorm2d(width), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(width, 2 * width, 3, padding=1, bias=False), nn.BatchNorm2d(2 * width), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(2 * width, 4 * width, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
        )
        self.dim = 4 * width

    def forward(self, x):
        return self.net(x)


class SimCLR(nn.Module):
    def __init__(self, width, proj_dim):
        super().__init__()
        self.encoder = Encoder(width)
        self.projector = nn.Sequential(nn.Linear(self.encoder.dim, self.encoder.dim), nn.ReLU(),
                                       nn.Linear(self.encoder.dim, proj_dim))

    def forward(self, x):
        return F.normalize(self.projector(self.encoder(x)), dim=-1)
