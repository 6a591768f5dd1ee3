from dataclasses import dataclass

import numpy as np
import pandas as pd
import torch


@dataclass
class Graph:
    adj: torch.Tensor
    x: torch.Tensor
    y: torch.Tensor
    train_mask: torch.Tensor
    test_mask: torch.Tensor

    @property
    def num_nodes(self):
        return self.x.size(0)


def normalise(adj):
    adj = adj + torch.eye(adj.size(0))
    d = adj.sum(1).pow(-0.5)
    return d[:, None] * adj * d[None, :]


def load_graph(folder, train_per_class=8):
    nodes = pd.read_csv(f"{folder}/nodes.csv")
    edges = pd.read_csv(f"{folder}/edges.csv")
    x = torch.tensor(nodes.filter(like="f").to_numpy(np.float32))
    labels, names = pd.factorize(nodes["topic"])
    y = torch.from_numpy(labels.astype(np.int64))
    n = len(nodes)
    adj = torch.zeros(n, n)
    for src, dst in edges[["src", "dst"]].to_numpy():
        adj[src, dst] = 1.0
        adj[dst, src] = 1.0
    train_mask = torch.zeros(n, dtype=torch.bool)
    for k in range(len(names)):
        idx = (y == k).nonzero().flatten()[:train_per_class]
        train_mask[idx] = True
    return Graph(x, normalise(adj), y, train_mask, ~train_mask), list(names)
