import torch
import torch.nn as nn
import torch.nn.functional as F


def add_self_loops(edge_index, num_nodes):
    loops = torch.arange(num_nodes).repeat(2, 1)
    return torch.cat([edge_index, loops], dim=1)


def to_undirected(edge_index):
    both = torch.cat([edge_index, edge_index.flip(0)], dim=1)
    return torch.unique(both, dim=1)


class GCNConv(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.lin = nn.Linear(d_in, d_out, bias=False)
        self.bias = nn.Parameter(torch.zeros(d_out))

    def forward(self, x, edge_index, norm):
        src, dst = edge_index
        h = self.lin(x)
        out = torch.zeros_like(h)
        out.index_add_(0, dst, h[src] * norm[:, None])
        return out + self.bias


class GCN(nn.Module):
    def __init__(self, d_in, hidden, n_classes, dropout=0.5):
        super().__init__()
        self.conv1 = GCNConv(d_in, hidden)
        self.conv2 = GCNConv(hidden, n_classes)
        self.dropout = dropout

    def forward(self, x, edge_index, norm):
        x = F.dropout(x, self.dropout, self.training)
        x = F.relu(self.conv1(x, edge_index, norm))
        x = F.dropout(x, self.dropout, self.training)
        return self.conv2(x, edge_index, norm)


def gcn_norm(edge_index, num_nodes):
    src, dst = edge_index
    deg = torch.zeros(num_nodes).scatter_add_(0, dst, torch.ones(dst.numel()))
    inv = deg.clamp(min=1).rsqrt()
    return inv[src] * inv[dst]
