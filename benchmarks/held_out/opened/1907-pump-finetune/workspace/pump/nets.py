import torch
from torch import nn


class GRUEncoder(nn.Module):
    def __init__(self, channels, hidden, layers=1):
        super().__init__()
        self.conv = nn.Conv1d(channels, hidden, 5, padding=2)
        self.rnn = nn.GRU(hidden, hidden, layers, batch_first=True)
        self.hidden = hidden

    def forward(self, x):
        h = torch.relu(self.conv(x.transpose(1, 2))).transpose(1, 2)
        return self.rnn(h)[0]


class NextValue(nn.Module):
    def __init__(self, encoder, channels):
        super().__init__()
        self.encoder = encoder
        self.out = nn.Linear(encoder.hidden, channels)

    def forward(self, x):
        return self.out(self.encoder(x))


class StateClassifier(nn.Module):
    def __init__(self, encoder, n_states):
        super().__init__()
        self.encoder = encoder
        self.att = nn.Linear(encoder.hidden, 1)
        self.out = nn.Linear(encoder.hidden, n_states)

    def forward(self, x):
        h = self.encoder(x)
        w = self.att(h).softmax(1)
        return self.out((w * h).sum(1))
