import torch
from torch import nn


def scatter_mean(src, index, n):
    total = src.new_zeros(n, src.size(1)).index_add_(0, index, src)
    count = src.new_zeros(n).index_add_(0, index, torch.ones_like(index, dtype=src.dtype))
    return total / count.clamp(min=1).unsqueeze(1)


class PipeConv(nn.Module):
    """Messages run both ways along a pipe; junctions and pipes are both updated."""

    def __init__(self, node_dim, edge_dim):
        super().__init__()
        self.msg = nn.Sequential(nn.Linear(2 * node_dim + edge_dim, node_dim), nn.SiLU())
        self.upd = nn.GRUCell(node_dim, node_dim)
        self.pipe = nn.Linear(2 * node_dim + edge_dim, edge_dim)

    def forward(self, h, edge, e):
        src, dst = edge
        s, d = h.index_select(0, src), h.index_select(0, dst)
        both = torch.cat([self.msg(torch.cat([s, d, e], 1)), self.msg(torch.cat([d, s, e], 1))])
        h = self.upd(scatter_mean(both, torch.cat([dst, src]), h.size(0)), h)
        e = e + torch.tanh(self.pipe(torch.cat([h[src], h[dst], e], 1)))
        return h, e


class LeakFinder(nn.Module):
    def __init__(self, n_in, e_in, dim=24, rounds=3):
        super().__init__()
        self.node, self.edge = nn.Linear(n_in, dim), nn.Linear(e_in, dim)
        self.convs = nn.ModuleList(PipeConv(dim, dim) for _ in range(rounds))
        self.context = nn.Linear(dim, dim)
        self.out = nn.Sequential(nn.Linear(2 * dim, dim), nn.SiLU(), nn.Linear(dim, 1))

    def forward(self, b):
        h, e = self.node(b.x), self.edge(b.attr)
        for conv in self.convs:
            h, e = conv(h, b.edge, e)
        zones = int(b.zone_of.max()) + 1
        pooled = self.context(scatter_mean(h, b.zone_of, zones))
        pipe_zone = b.zone_of[b.edge[0]]
        return self.out(torch.cat([e, pooled[pipe_zone]], dim=1)).squeeze(1)
