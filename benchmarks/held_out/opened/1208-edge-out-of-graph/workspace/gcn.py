"""Two-layer GCN with hand-written message passing (index_select + index_add)."""
import argparse
import csv
import json
from pathlib import Path

import torch
import torch.nn as nn
import torch.nn.functional as F


def load_graph(folder):
    folder = Path(folder)
    meta = json.loads((folder / "graph.json").read_text())
    with open(folder / "edges.csv", newline="") as fh:
        rows = [(int(r["source"]), int(r["target"])) for r in csv.DictReader(fh)]
    edge_index = torch.tensor(rows, dtype=torch.long).t()
    edge_index = torch.cat([edge_index, edge_index.flip(0)], dim=1)
    loops = torch.arange(meta["num_nodes"]).repeat(2, 1)
    labels = torch.tensor(meta["labels"])
    return torch.cat([edge_index, loops], dim=1), labels, meta


class GCNConv(nn.Module):
    def __init__(self, cin, cout):
        super().__init__()
        self.lin = nn.Linear(cin, cout, bias=False)
        self.bias = nn.Parameter(torch.zeros(cout))

    def forward(self, x, edge_index, norm):
        src, dst = edge_index
        h = self.lin(x)
        out = torch.zeros_like(h).index_add(0, dst, h.index_select(0, src) * norm[:, None])
        return out + self.bias


class GCN(nn.Module):
    def __init__(self, cin, hidden, classes):
        super().__init__()
        self.c1 = GCNConv(cin, hidden)
        self.c2 = GCNConv(hidden, classes)

    def forward(self, x, edge_index, norm):
        x = F.relu(self.c1(x, edge_index, norm))
        return self.c2(F.dropout(x, 0.5, self.training), edge_index, norm)


def gcn_norm(edge_index, n):
    src, dst = edge_index
    deg = torch.zeros(n, device=src.device).scatter_add_(0, dst, torch.ones(len(dst), device=src.device))
    inv = deg.clamp(min=1).rsqrt()
    return inv[src] * inv[dst]


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--data", default="data")
    ap.add_argument("--epochs", type=int, default=60)
    args = ap.parse_args()
    torch.manual_seed(1)
    edge_index, y, meta = load_graph(args.data)
    n, c = meta["num_nodes"], meta["num_classes"]
    x = F.one_hot(y, c).float() @ torch.randn(c, 32) + 1.5 * torch.randn(n, 32)
    train = torch.rand(n) < 0.3
    edge_index, x, y, train = (t.cuda() for t in (edge_index, x, y, train))
    norm = gcn_norm(edge_index, n)

    model = GCN(32, 64, c).cuda()
    opt = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)
    for epoch in range(args.epochs):
        model.train()
        loss = F.cross_entropy(model(x, edge_index, norm)[train], y[train])
        opt.zero_grad()
        loss.backward()
        opt.step()
        if epoch % 20 == 19:
            model.eval()
            with torch.no_grad():
                acc = (model(x, edge_index, norm).argmax(1) == y)[~train].float().mean()
            print(f"epoch {epoch + 1} loss {loss.item():.3f} test acc {acc.item():.3f}")


if __name__ == "__main__":
    main()
