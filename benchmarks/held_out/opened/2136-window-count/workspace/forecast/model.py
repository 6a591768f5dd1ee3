import torch.nn as nn


class LoadGRU(nn.Module):
    def __init__(self, n_features, hidden, horizon):
        super().__init__()
        self.rnn = nn.GRU(n_features, hidden, batch_first=True)
        self.norm = nn.LayerNorm(hidden)
        self.head = nn.Linear(hidden, horizon)

    def forward(self, x):
        _, h = self.rnn(x)
        return self.head(self.norm(h[-1]))
