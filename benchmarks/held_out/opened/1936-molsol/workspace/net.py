import torch
from torch import nn

from graphs import ATOMS, BONDS


class MessageLayer(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.bond = nn.Embedding(len(BONDS), dim)
        self.mlp = nn.Sequential(nn.Linear(dim, 2 * dim), nn.ReLU(), nn.Linear(2 * dim, dim))
        self.norm = nn.LayerNorm(dim)
        self.eps = nn.Parameter(torch.zeros(1))

    def forward(self, h, edges, bonds):
        src, dst = edges
        msg = torch.relu(h[src] + self.bond(bonds))
        agg = torch.zeros_like(h).index_add_(0, dst, msg)
        return self.norm(h + self.mlp((1 + self.eps) * h + agg))


class SolubilityNet(nn.Module):
    def __init__(self, dim, depth):
        super().__init__()
        self.atom = nn.Embedding(len(ATOMS), dim)
        self.layers = nn.ModuleList(MessageLayer(dim) for _ in range(depth))
        self.head = nn.Sequential(nn.Linear(dim, dim), nn.ReLU(), nn.Linear(dim, 1))

    def forward(self, batch):
        h = self.atom(batch.atoms)
        for layer in self.layers:
            h = layer(h, batch.edges, batch.bonds)
        pooled = h.new_zeros(batch.num_graphs, h.shape[1])
        pooled.index_add_(0, batch.graph_id, h)
        return self.head(pooled).squeeze(1)
