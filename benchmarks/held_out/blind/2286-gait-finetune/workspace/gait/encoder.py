import torch
from torch import nn


class GaitEncoder(nn.Module):
    def __init__(self, axes, hidden, layers, proj):
        super().__init__()
        self.stem = nn.Conv1d(axes, hidden, 7, stride=2, padding=3)
        self.rnn = nn.GRU(hidden, hidden, layers, batch_first=True)
        self.proj = nn.Linear(hidden, proj)

    def forward(self, x):
        h = torch.relu(self.stem(x)).transpose(1, 2)
        _, last = self.rnn(h)
        return nn.functional.normalize(self.proj(last[-1]), dim=-1)


class WalkerHead(nn.Module):
    def __init__(self, encoder, proj, n_people):
        super().__init__()
        self.encoder = encoder
        self.fc = nn.Linear(proj, n_people)

    def forward(self, x):
        return self.fc(8 * self.encoder(x))
