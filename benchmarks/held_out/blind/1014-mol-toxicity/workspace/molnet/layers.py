import torch
import torch.nn as nn


class NeighbourConv(nn.Module):
    """h_i <- relu(W h_i + U mean_{j in N(i)} h_j)"""

    def __init__(self, width, dropout):
        super().__init__()
        self.own = nn.Linear(width, width)
        self.nbr = nn.Linear(width, width, bias=False)
        self.drop = nn.Dropout(dropout)

    def forward(self, h, edges):
        src, dst = edges
        total = torch.zeros_like(h).index_add(0, dst, h[src])
        degree = torch.zeros(len(h)).index_add(0, dst, torch.ones(len(dst)))
        mean = total / degree.clamp(min=1).unsqueeze(1)
        return self.drop(torch.relu(self.own(h) + self.nbr(mean)))


class MolNet(nn.Module):
    def __init__(self, n_atom_types, hidden, n_layers, dropout):
        super().__init__()
        self.embed = nn.Linear(n_atom_types, hidden)
        self.convs = nn.ModuleList(NeighbourConv(hidden, dropout) for _ in range(n_layers))
        self.readout = nn.Sequential(nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 1))

    def forward(self, x, edges, owner):
        h = self.embed(x)
        for conv in self.convs:
            h = h + conv(h, edges)
        n_graphs = int(owner.max()) + 1
        pooled = torch.zeros(n_graphs, h.size(1)).index_add(0, owner, h)
        return self.readout(pooled).squeeze(-1)
