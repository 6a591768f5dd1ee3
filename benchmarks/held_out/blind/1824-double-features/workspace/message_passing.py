import torch
from torch import nn


def scatter_sum(values, index, size):
    out = torch.zeros(size, values.shape[1])
    return out.index_add_(0, index, values)


class Round(nn.Module):
    def __init__(self, hidden, edge_dim):
        super().__init__()
        self.message = nn.Sequential(nn.Linear(2 * hidden + edge_dim, hidden), nn.SiLU(), nn.Linear(hidden, hidden))
        self.update = nn.GRUCell(hidden, hidden)

    def forward(self, h, edges, edge_attr):
        src, dst = edges
        m = self.message(torch.cat([h[src], h[dst], edge_attr], dim=-1))
        return self.update(scatter_sum(m, dst, h.shape[0]), h)


class SolubilityNet(nn.Module):
    def __init__(self, atom_dim, edge_dim, hidden, rounds):
        super().__init__()
        self.embed = nn.Linear(atom_dim, hidden)
        self.rounds = nn.ModuleList(Round(hidden, edge_dim) for _ in range(rounds))
        self.readout = nn.Sequential(nn.Linear(hidden, hidden), nn.SiLU(), nn.Linear(hidden, 1))

    def forward(self, x, edges, edge_attr, owner, n_graphs):
        h = self.embed(x)
        for r in self.rounds:
            h = r(h, edges, edge_attr)
        per_atom = self.readout(h)
        return scatter_sum(per_atom, owner, n_graphs).squeeze(1)
