import torch.nn as nn


def block(cin, cout, k, dropout):
    return nn.Sequential(
        nn.Conv1d(cin, cout, k, padding=k // 2),
        nn.BatchNorm1d(cout),
        nn.ReLU(),
        nn.Dropout(dropout),
        nn.MaxPool1d(2),
    )


class FaultNet(nn.Module):
    def __init__(self, n_channels, n_classes, width=16, dropout=0.1):
        super().__init__()
        self.features = nn.Sequential(
            block(n_channels, width, 9, dropout),
            block(width, 2 * width, 5, dropout),
            block(2 * width, 2 * width, 3, dropout),
        )
        self.pool = nn.AdaptiveAvgPool1d(1)
        self.head = nn.Linear(2 * width, n_classes)

    def forward(self, x):
        h = self.features(x)
        return self.head(self.pool(h).flatten(1))
