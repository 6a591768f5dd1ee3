import torch
from torch import nn

from molprop.nets.readout import READOUTS


class MessageLayer(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.message = nn.Linear(dim, dim, bias=False)
        self.update = nn.GRUCell(dim, dim)

    def forward(self, h, adj, mask):
        b, n, d = h.shape
        m = torch.bmm(adj, self.message(h))
        h = self.update(m.reshape(b * n, d), h.reshape(b * n, d)).view(b, n, d)
        return h * mask.unsqueeze(-1)


class DenseMPNN(nn.Module):
    def __init__(self, n_feat, n_tasks, dim=48, depth=3, readout="mean", dropout=0.0):
        super().__init__()
        self.embed = nn.Linear(n_feat, dim)
        self.layers = nn.ModuleList(MessageLayer(dim) for _ in range(depth))
        self.readout = READOUTS[readout](dim)
        self.heads = nn.ModuleList(
            nn.Sequential(nn.Linear(dim, dim), nn.SiLU(), nn.Dropout(dropout), nn.Linear(dim, 1)) for _ in range(n_tasks)
        )

    def forward(self, x, adj, mask):
        h = torch.relu(self.embed(x))
        for layer in self.layers:
            h = layer(h, adj, mask)
        g = self.readout(h, mask)
        return torch.cat([head(g) for head in self.heads], dim=1)
