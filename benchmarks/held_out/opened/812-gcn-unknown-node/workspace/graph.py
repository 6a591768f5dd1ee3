from dataclasses import dataclass

import numpy as np
import pandas as pd
import torch


@dataclass
class Graph:
    x: torch.Tensor
    y: torch.Tensor
    adj: torch.Tensor
    train_idx: torch.Tensor
    val_idx: torch.Tensor
    test_idx: torch.Tensor
    classes: list


def normalized_adjacency(src, dst, n):
    row = np.concatenate([src, dst, np.arange(n)])
    col = np.concatenate([dst, src, np.arange(n)])
    idx = torch.tensor(np.stack([row, col]))
    adj = torch.sparse_coo_tensor(idx, torch.ones(idx.size(1)), (n, n)).coalesce()
    adj = torch.sparse_coo_tensor(adj.indices(), torch.ones(adj.indices().size(1)), (n, n)).coalesce()
    deg = torch.sparse.sum(adj, dim=1).to_dense()
    r, c = adj.indices()
    vals = adj.values() / torch.sqrt(deg[r] * deg[c])
    return torch.sparse_coo_tensor(adj.indices(), vals, (n, n)).coalesce()


def load_graph(cfg, seed=0):
    nodes = pd.read_csv(cfg["nodes"])
    edges = pd.read_csv(cfg["edges"])
    feat_cols = [c for c in nodes.columns if c.startswith("w")]
    x = nodes[feat_cols].to_numpy(dtype=np.float32)
    x = x / np.maximum(x.sum(1, keepdims=True), 1)
    y, classes = pd.factorize(nodes["label"], sort=True)

    id2idx = {nid: i for i, nid in enumerate(nodes["node_id"])}
    src = edges["src"].map(id2idx).to_numpy()
    dst = edges["dst"].map(id2idx).to_numpy()
    adj = normalized_adjacency(src, dst, len(nodes))

    rng = np.random.default_rng(seed)
    perm = rng.permutation(len(nodes))
    train = np.concatenate([perm[y[perm] == c][: cfg["train_per_class"]] for c in range(len(classes))])
    rest = np.setdiff1d(perm, train)
    rng.shuffle(rest)
    val, test = rest[: cfg["n_val"]], rest[cfg["n_val"]:]
    t = lambda a: torch.as_tensor(a, dtype=torch.long)
    return Graph(torch.from_numpy(x), t(y), adj, t(train), t(val), t(test), list(classes))
