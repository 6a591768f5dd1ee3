import torch.nn as nn

FEATURES = ["width", "height", "weight", "gloss", "curve"]


class GradeNet(nn.Module):
    def __init__(self, n_features, n_classes, hidden=32):
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(n_features, hidden), nn.BatchNorm1d(hidden), nn.ReLU(),
            nn.Linear(hidden, hidden), nn.ReLU(),
        )
        self.head = nn.Linear(hidden, n_classes)

    def forward(self, x):
        return self.head(self.body(x))
