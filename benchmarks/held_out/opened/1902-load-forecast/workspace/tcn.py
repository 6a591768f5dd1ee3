import torch
import torch.nn as nn
import torch.nn.functional as F


class CausalBlock(nn.Module):
    def __init__(self, channels, kernel, dilation, dropout):
        super().__init__()
        self.left = (kernel - 1) * dilation
        self.conv = nn.Conv1d(channels, 2 * channels, kernel, dilation=dilation)
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        h = F.glu(self.conv(F.pad(x, (self.left, 0))), dim=1)
        return x + self.drop(h)


class TCNForecaster(nn.Module):
    def __init__(self, n_features, horizon, n_quantiles, hidden=32, kernel=3, levels=3, dropout=0.0):
        super().__init__()
        self.inp = nn.Conv1d(n_features, hidden, 1)
        self.blocks = nn.Sequential(*[CausalBlock(hidden, kernel, 2 ** l, dropout) for l in range(levels)])
        self.future = nn.Linear(n_features - 1, hidden)
        self.step = nn.Embedding(horizon, hidden)
        self.out = nn.Sequential(nn.Linear(2 * hidden, hidden), nn.GELU(), nn.Linear(hidden, n_quantiles))

    def forward(self, past, known):
        state = self.blocks(self.inp(past.transpose(1, 2)))[:, :, -1]
        fut = self.future(known) + self.step.weight
        state = state[:, None].expand(-1, fut.shape[1], -1)
        return self.out(torch.cat([state, fut], -1))


def pinball(pred, y, quantiles):
    q = torch.tensor(quantiles)
    err = y[..., None] - pred
    return torch.maximum(q * err, (q - 1) * err).mean()
