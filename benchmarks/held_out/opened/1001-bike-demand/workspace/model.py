import torch.nn as nn


class DemandGRU(nn.Module):
    def __init__(self, n_features, hidden_size, num_layers, horizon):
        super().__init__()
        self.gru = nn.GRU(n_features, hidden_size, num_layers=num_layers, batch_first=True)
        self.head = nn.Sequential(
            nn.Linear(hidden_size, hidden_size),
            nn.ReLU(),
            nn.Linear(hidden_size, horizon),
        )
        self.state = None

    def reset_state(self):
        self.state = None

    def forward(self, x):
        out, h = self.gru(x, self.state)
        self.state = h.detach()
        return self.head(out[:, -1])
