"""Two-layer graph networks on a citation graph, message passing written by hand.

--conv gcn | sage | gat
"""
import argparse

import torch
import torch.nn.functional as F
from torch import nn


def read_graph(nodes_path="nodes.tsv", edges_path="cites.tsv", vocab=40):
    labels, splits, rows = [], [], []
    with open(nodes_path) as fh:
        next(fh)
        for line in fh:
            _, topic, split, kws = line.rstrip("\n").split("\t")
            labels.append(int(topic))
            splits.append(split)
            rows.append([int(k) for k in kws.split()])
    x = torch.zeros(len(rows), vocab)
    for i, kws in enumerate(rows):
        x[i, kws] = 1.0
    with open(edges_path) as fh:
        edges = torch.tensor([[int(v) for v in line.split()] for line in fh]).T
    edges = torch.cat([edges, edges.flip(0)], dim=1)          # undirected
    edges = torch.unique(edges, dim=1)
    masks = {s: torch.tensor([sp == s for sp in splits]) for s in ("train", "val", "test")}
    return x, torch.tensor(labels), edges, masks


def add_self_loops(edge_index, n):
    loops = torch.arange(n).expand(2, n)
    return torch.cat([edge_index, loops], dim=1)


class GCNConv(nn.Module):
    def __init__(self, cin, cout):
        super().__init__()
        self.lin = nn.Linear(cin, cout, bias=False)
        self.bias = nn.Parameter(torch.zeros(cout))

    def forward(self, x, edge_index):
        n = x.size(0)
        edge_index = add_self_loops(edge_index, n)
        src, dst = edge_index
        deg = torch.zeros(n).scatter_add_(0, torch.ones(dst.numel()), dst)
        norm = deg.rsqrt()[src] * deg.rsqrt()[dst]
        msg = self.lin(x)[src] * norm.unsqueeze(1)
        return torch.zeros(n, msg.size(1)).index_add_(0, dst, msg) + self.bias


class SAGEConv(nn.Module):
    def __init__(self, cin, cout):
        super().__init__()
        self.self_lin = nn.Linear(cin, cout)
        self.neigh_lin = nn.Linear(cin, cout, bias=False)

    def forward(self, x, edge_index):
        src, dst = edge_index
        index = dst.unsqueeze(1).expand(-1, x.size(1))
        mean = torch.zeros_like(x).scatter_reduce(0, index, x[src], reduce="mean", include_self=False)
        return self.self_lin(x) + self.neigh_lin(mean)


class GATConv(nn.Module):
    def __init__(self, cin, cout, heads=4):
        super().__init__()
        assert cout % heads == 0 or cout < heads
        self.heads, self.dim = heads, max(cout // heads, 1)
        self.lin = nn.Linear(cin, self.heads * self.dim, bias=False)
        self.att_src = nn.Parameter(torch.randn(heads, self.dim) * 0.1)
        self.att_dst = nn.Parameter(torch.randn(heads, self.dim) * 0.1)

    def forward(self, x, edge_index):
        n = x.size(0)
        src, dst = add_self_loops(edge_index, n)
        h = self.lin(x).view(n, self.heads, self.dim)
        score = (h * self.att_src).sum(-1)[src] + (h * self.att_dst).sum(-1)[dst]
        score = F.leaky_relu(score, 0.2)
        top = torch.full((n, self.heads), -1e9).scatter_reduce(0, dst[:, None].expand_as(score), score, "amax")
        weight = (score - top[dst]).exp()
        total = torch.zeros(n, self.heads).index_add(0, dst, weight)
        alpha = weight / total[dst]
        out = torch.zeros(n, self.heads, self.dim).index_add(0, dst, h[src] * alpha.unsqueeze(-1))
        return out.flatten(1)


CONVS = {"gcn": GCNConv, "sage": SAGEConv, "gat": GATConv}


class Net(nn.Module):
    def __init__(self, kind, cin, hidden, n_classes):
        super().__init__()
        conv = CONVS[kind]
        self.c1, self.c2 = conv(cin, hidden), conv(hidden, hidden)
        self.read = nn.Linear(hidden, n_classes)

    def forward(self, x, edge_index):
        x = F.elu(self.c1(F.dropout(x, 0.3, self.training), edge_index))
        x = F.elu(self.c2(F.dropout(x, 0.3, self.training), edge_index))
        return self.read(x)


def drop_edge(edge_index, p):
    keep = torch.rand(edge_index.size(1)) >= p
    return edge_index[:, keep]


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--conv", choices=CONVS, nargs="+", default=["sage", "gat", "gcn"])
    ap.add_argument("--hidden", type=int, default=32)
    ap.add_argument("--epochs", type=int, default=60)
    args = ap.parse_args()
    x, y, edge_index, masks = read_graph()
    print(f"{x.size(0)} nodes, {edge_index.size(1)} directed edges, " + ", ".join(f"{k} {int(m.sum())}" for k, m in masks.items()))
    for kind in args.conv:
        torch.manual_seed(0)
        model = Net(kind, x.size(1), args.hidden, int(y.max()) + 1)
        opt = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)
        best_val = best_test = 0.0
        for epoch in range(args.epochs):
            model.train()
            out = model(x, drop_edge(edge_index, 0.1))
            loss = F.cross_entropy(out[masks["train"]], y[masks["train"]])
            opt.zero_grad()
            loss.backward()
            opt.step()
            model.eval()
            with torch.no_grad():
                hit = (model(x, edge_index).argmax(1) == y).float()
            val = hit[masks["val"]].mean().item()
            if val > best_val:
                best_val, best_test = val, hit[masks["test"]].mean().item()
        print(f"{kind:5s} loss {loss.item():.3f} val {best_val:.3f} test {best_test:.3f}")


if __name__ == "__main__":
    main()
