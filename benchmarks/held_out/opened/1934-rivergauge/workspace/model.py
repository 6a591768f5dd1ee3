import torch.nn as nn


class StageLSTM(nn.Module):
    def __init__(self, n_features, hidden, layers):
        super().__init__()
        self.rnn = nn.LSTM(n_features, hidden, layers, batch_first=True)
        self.norm = nn.LayerNorm(hidden)
        self.out = nn.Linear(hidden, 1)

    def forward(self, x):
        h, _ = self.rnn(x)
        last = self.norm(h[:, -1])
        # predict the change against the last seen stage
        return x[:, -1, 0] + self.out(last).squeeze(-1)
