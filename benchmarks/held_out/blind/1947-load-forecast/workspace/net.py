from torch import nn


class GRUForecaster(nn.Module):
    def __init__(self, n_features, hidden, horizon):
        super().__init__()
        self.rnn = nn.GRU(n_features, hidden, batch_first=True)
        self.head = nn.Sequential(nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, horizon))

    def forward(self, x):
        _, h = self.rnn(x)
        return self.head(h[-1])
