from typing import Optional

import torch
from torch import Tensor, nn


class GCNConv(nn.Module):
    r"""Kipf & Welling convolution, :math:`D^{-1/2} (A + I) D^{-1/2} X W`."""

    def __init__(self, in_dim: int, out_dim: int, bias: bool = True) -> None:
        super().__init__()
        self.lin = nn.Linear(in_dim, out_dim, bias=False)
        self.bias: Optional[nn.Parameter] = nn.Parameter(torch.zeros(out_dim)) if bias else None
        nn.init.xavier_uniform_(self.lin.weight)

    @staticmethod
    def norm(edge_index: Tensor, n: int):
        loops = torch.arange(n).repeat(2, 1)
        edge_index = torch.cat([edge_index, loops], dim=1)
        src, dst = edge_index
        deg = torch.zeros(n).scatter_add_(0, dst, torch.ones(dst.numel()))
        inv = deg.rsqrt()
        return src, dst, inv[src] * inv[dst]

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        src, dst, w = self.norm(edge_index, x.size(0))
        h = self.lin(x)
        out = torch.zeros_like(h).index_add_(0, dst, h[src] * w[:, None])
        return out if self.bias is None else out + self.bias


class GCN(nn.Module):
    def __init__(self, in_dim: int, hidden: int, n_classes: int, p: float = 0.4) -> None:
        super().__init__()
        self.c1 = GCNConv(in_dim, hidden)
        self.c2 = GCNConv(hidden, n_classes)
        self.drop = nn.Dropout(p)

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        h = torch.relu(self.c1(self.drop(x), edge_index))
        return self.c2(self.drop(h), edge_index)
