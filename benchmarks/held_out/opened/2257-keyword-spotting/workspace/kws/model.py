import torch.nn as nn


class KeywordNet(nn.Module):
    def __init__(self, n_words, width=12):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv2d(1, width, (9, 3), stride=(4, 1), padding=(4, 1)), nn.BatchNorm2d(width), nn.ReLU(),
            nn.Conv2d(width, 2 * width, 3, stride=2, padding=1), nn.BatchNorm2d(2 * width), nn.ReLU(),
            nn.AdaptiveAvgPool2d((8, 1)),
        )
        self.fc = nn.Linear(2 * width * 8, n_words)

    def forward(self, x):
        return self.fc(self.conv(x).flatten(1))
