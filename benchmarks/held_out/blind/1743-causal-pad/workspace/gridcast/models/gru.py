from torch import nn


class GRUForecaster(nn.Module):
    def __init__(self, n_features, horizon, hidden_size, num_layers=1):
        super().__init__()
        self.rnn = nn.GRU(n_features, hidden_size, num_layers, batch_first=True)
        self.norm = nn.LayerNorm(hidden_size)
        self.head = nn.Linear(hidden_size, horizon)

    def forward(self, past):
        _, h_n = self.rnn(past)
        return self.head(self.norm(h_n[-1]))
