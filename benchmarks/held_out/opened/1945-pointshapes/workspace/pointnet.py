import torch.nn as nn


class PointNet(nn.Module):
    def __init__(self, width, n_classes):
        super().__init__()
        self.local = nn.Sequential(
            nn.Linear(3, width), nn.ReLU(),
            nn.Linear(width, 2 * width), nn.ReLU(),
        )
        self.head = nn.Sequential(
            nn.Linear(2 * width, width), nn.ReLU(), nn.Dropout(0.1), nn.Linear(width, n_classes)
        )

    def forward(self, pts):
        return self.head(self.local(pts).amax(dim=1))
