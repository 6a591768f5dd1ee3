from torch import nn


class Forecaster(nn.Module):
    def __init__(self, n_features, hidden, horizon):
        super().__init__()
        self.rnn = nn.LSTM(n_features, hidden, batch_first=True)
        self.norm = nn.LayerNorm(hidden)
        self.out = nn.Linear(hidden, horizon)

    def forward(self, x):
        _, (h, _) = self.rnn(x)
        return self.out(self.norm(h[-1]))
