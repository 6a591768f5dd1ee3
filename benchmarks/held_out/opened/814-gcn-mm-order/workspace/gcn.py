import torch
import torch.nn as nn
import torch.nn.functional as F


class GraphConv(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.lin = nn.Linear(in_features, out_features, bias=False)
        self.bias = nn.Parameter(torch.zeros(out_features))

    def forward(self, x, adj):
        return torch.sparse.mm(self.lin(x), adj) + self.bias


class GCN(nn.Module):
    def __init__(self, in_features, hidden, n_classes, dropout):
        super().__init__()
        dims = [in_features] + list(hidden)
        self.convs = nn.ModuleList(GraphConv(a, b) for a, b in zip(dims[:-1], dims[1:]))
        self.last = GraphConv(dims[-1], n_classes)
        self.dropout = dropout

    def forward(self, x, adj):
        for conv in self.convs:
            x = F.relu(conv(x, adj))
            x = F.dropout(x, self.dropout, self.training)
        return F.log_softmax(self.last(x, adj), dim=-1)
