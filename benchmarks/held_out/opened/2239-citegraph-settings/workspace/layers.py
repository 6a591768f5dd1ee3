import torch
from torch import nn


class GCNConv(nn.Module):
    """Mean over the neighbours plus an own transform of the node itself."""

    def __init__(self, dim_in, dim_out):
        super().__init__()
        self.own = nn.Linear(dim_in, dim_out)
        self.neigh = nn.Linear(dim_in, dim_out, bias=False)

    def forward(self, x, edge_index):
        src, dst = edge_index
        messages = self.neigh(x)[src]
        total = torch.zeros(len(x), messages.shape[1]).index_add(0, dst, messages)
        degree = torch.bincount(dst, minlength=len(x)).clamp(min=1)
        return self.own(x) + total / degree.unsqueeze(1)


class GCN(nn.Module):
    def __init__(self, dim_in, n_classes, cfg):
        super().__init__()
        sizes = [dim_in] + [cfg["hidden"]] * (cfg["layers"] - 1) + [n_classes]
        self.convs = nn.ModuleList(GCNConv(a, b) for a, b in zip(sizes, sizes[1:]))
        self.act = {"relu": torch.relu, "tanh": torch.tanh}[cfg["activation"]]
        self.drop = nn.Dropout(cfg["dropout"])

    def forward(self, x, edge_index):
        for conv in self.convs[:-1]:
            x = self.drop(self.act(conv(x, edge_index)))
        return self.convs[-1](x, edge_index)
