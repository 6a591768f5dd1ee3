import torch
from torch import nn


class Scorer(nn.Module):
    """Numbers and categories in, one score a class out."""

    def __init__(self, numeric, categories, embedding=4, hidden=16, classes=3):
        super().__init__()
        self.embeddings = nn.ModuleList([nn.Embedding(n, embedding) for n in categories])
        self.hidden = nn.Linear(numeric + embedding * len(categories), hidden)
        self.act = nn.ReLU()
        self.out = nn.Linear(hidden, classes)

    def forward(self, numbers, codes):
        embedded = [e(codes[:, i]) for i, e in enumerate(self.embeddings)]
        x = torch.cat([numbers, *embedded], dim=1)
        return self.out(self.act(self.hidden(x)))


class Patches(nn.Module):
    def __init__(self, channels=6, classes=4, size=12):
        super().__init__()
        self.conv1 = nn.Conv2d(1, channels, 3, padding=1)
        self.relu1 = nn.ReLU()
        self.pool = nn.MaxPool2d(2)
        self.conv2 = nn.Conv2d(channels, 2 * channels, 3, padding=1)
        self.relu2 = nn.ReLU()
        self.fc = nn.Linear(2 * channels * (size // 4) ** 2, classes)

    def forward(self, x):
        x = self.pool(self.relu1(self.conv1(x)))
        x = self.pool(self.relu2(self.conv2(x)))
        return self.fc(x.flatten(1))
