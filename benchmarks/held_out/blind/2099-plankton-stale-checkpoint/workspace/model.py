import torch.nn as nn


class PlanktonNet(nn.Module):
    """Small MLP for the measured shape features of one plankton particle."""

    def __init__(self, n_features, n_classes, hidden=32, dropout=0.1):
        super().__init__()
        self.norm = nn.BatchNorm1d(n_features)
        self.body = nn.Sequential(
            nn.Linear(n_features, hidden),
            nn.ReLU(),
            nn.Dropout(dropout),
            nn.Linear(hidden, hidden),
            nn.ReLU(),
        )
        self.fc = nn.Linear(hidden, n_classes)

    def forward(self, x):
        return self.fc(self.body(self.norm(x)))
