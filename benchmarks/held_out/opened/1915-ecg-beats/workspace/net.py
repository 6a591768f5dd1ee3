import torch.nn as nn


class ConvBlock(nn.Module):
    def __init__(self, cin, cout, k):
        super().__init__()
        self.conv = nn.Conv1d(cin, cout, k, padding=k // 2, bias=False)
        self.bn = nn.BatchNorm1d(cout)
        self.act = nn.ReLU(inplace=True)
        self.pool = nn.MaxPool1d(2)

    def forward(self, x):
        return self.pool(self.act(self.bn(self.conv(x))))


class BeatNet(nn.Module):
    """(B, 1, L) -> (B,) logits"""

    def __init__(self, channels, kernel):
        super().__init__()
        dims = [1, *channels]
        self.body = nn.Sequential(*[ConvBlock(a, b, kernel) for a, b in zip(dims, dims[1:])])
        self.gap = nn.AdaptiveAvgPool1d(1)
        self.drop = nn.Dropout(0.2)
        self.fc = nn.Linear(dims[-1], 1)

    def forward(self, x):
        h = self.gap(self.body(x)).flatten(1)
        return self.fc(self.drop(h)).squeeze()
