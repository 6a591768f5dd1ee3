# Predict where in the cell a protein works from its neighbours in the interaction graph.
import argparse

import networkx as nx
import numpy as np
import pandas as pd
import torch
import torch.nn.functional as F


def load_graph(nodes_csv, edges_tsv, min_conf):
    nodes = pd.read_csv(nodes_csv)
    edges = pd.read_csv(edges_tsv, sep="\t")
    edges = edges[edges.confidence >= min_conf]
    index = {name: i for i, name in enumerate(nodes.protein)}

    pairs = np.array([(index[a], index[b]) for a, b in zip(edges.a, edges.b)])
    pairs = np.concatenate([pairs, pairs[:, ::-1]])
    loops = np.arange(len(nodes)).repeat(2).reshape(-1, 2)
    pairs = np.concatenate([pairs, loops])
    weights = np.concatenate([edges.confidence, edges.confidence, np.ones(len(nodes))])

    x = nodes.filter(regex=r"^f\d+$").to_numpy(np.float32)
    classes = sorted(nodes.compartment.unique())
    y = nodes.compartment.map(classes.index).to_numpy()
    return (
        torch.from_numpy(x),
        torch.from_numpy(y),
        torch.from_numpy(pairs.T.copy()),
        torch.tensor(weights, dtype=torch.float32),
        classes,
    )


def describe(x, edge_index):
    adj = np.zeros((len(x), len(x)))
    adj[edge_index[0], edge_index[1]] = 1
    np.fill_diagonal(adj, 0)
    g = nx.from_numpy_matrix(adj)
    print("nodes", g.number_of_nodes(), "edges", g.number_of_edges(),
          "components", nx.number_connected_components(g),
          "clustering %.3f" % nx.average_clustering(g))


class GraphConv(torch.nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.lin = torch.nn.Linear(d_in, d_out)

    def forward(self, x, edge_index, weight):
        src, dst = edge_index
        deg = torch.zeros(len(x)).index_add_(0, dst, weight)
        norm = weight / (deg[src] * deg[dst]).sqrt()
        h = self.lin(x)
        return torch.zeros_like(h).index_add_(0, dst, h[src] * norm[:, None])


class GCN(torch.nn.Module):
    def __init__(self, d_in, hidden, n_out):
        super().__init__()
        self.c1 = GraphConv(d_in, hidden)
        self.c2 = GraphConv(hidden, n_out)

    def forward(self, x, edge_index, weight):
        h = F.dropout(F.relu(self.c1(x, edge_index, weight)), 0.3, self.training)
        return self.c2(h, edge_index, weight)


parser = argparse.ArgumentParser()
parser.add_argument("--nodes", default="proteins.csv")
parser.add_argument("--edges", default="interactions.tsv")
parser.add_argument("--min-conf", type=float, default=0.4)
parser.add_argument("--hidden", type=int, default=16)
parser.add_argument("--epochs", type=int, default=60)
args = parser.parse_args()

torch.manual_seed(0)
x, y, edge_index, weight, classes = load_graph(args.nodes, args.edges, args.min_conf)
print("classes:", ", ".join(classes))
describe(x, edge_index)
perm = torch.randperm(len(x))
train, test = perm[: int(0.6 * len(x))], perm[int(0.6 * len(x)):]
model = GCN(x.shape[1], args.hidden, len(classes))
opt = torch.optim.Adam(model.parameters(), lr=0.02, weight_decay=5e-4)
for epoch in range(args.epochs):
    model.train()
    loss = F.cross_entropy(model(x, edge_index, weight)[train], y[train])
    opt.zero_grad()
    loss.backward()
    opt.step()
    if (epoch + 1) % 20 == 0:
        model.eval()
        with torch.no_grad():
            acc = (model(x, edge_index, weight).argmax(1)[test] == y[test]).float().mean()
        print(f"epoch {epoch + 1:3d}  loss {loss.item():.3f}  test acc {acc.item():.3f}")
