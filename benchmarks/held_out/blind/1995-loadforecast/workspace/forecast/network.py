import torch.nn as nn


class ForecastGRU(nn.Module):
    def __init__(self, features, hidden, horizon, dropout):
        super().__init__()
        self.proj = nn.Linear(features, hidden)
        self.rnn = nn.GRU(hidden, hidden, batch_first=True)
        self.head = nn.Sequential(nn.Dropout(dropout), nn.Linear(hidden, horizon))

    def forward(self, past):
        out, _ = self.rnn(self.proj(past).relu())
        return self.head(out[:, -1])
