import torch
from torch import nn


class GraphConv(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(in_features, out_features))
        self.bias = nn.Parameter(torch.zeros(out_features))
        nn.init.zeros_(self.weight)

    def forward(self, x, adj):
        return adj @ (x @ self.weight) + self.bias


class GCN(nn.Module):
    def __init__(self, n_feat, n_hid, n_class, dropout=0.3):
        super().__init__()
        self.gc1 = GraphConv(n_feat, n_hid)
        self.gc2 = GraphConv(n_hid, n_class)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, adj):
        h = torch.relu(self.gc1(x, adj))
        return torch.log_softmax(self.gc2(self.drop(h), adj), dim=1)
