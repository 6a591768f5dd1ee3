import pandas as pd
import torch


class PaperGraph:
    def __init__(self, x, y, adj, train_mask, test_mask):
        self.x, self.y, self.adj = x, y, adj
        self.train_mask, self.test_mask = train_mask, test_mask


def normalize(adj):
    """Symmetric normalisation D^-1/2 A D^-1/2."""
    deg = adj.sum(dim=1)
    inv_sqrt = deg.pow(-0.5)
    return inv_sqrt[:, None] * adj * inv_sqrt[None, :]


def load_graph(node_file="nodes.csv", edge_file="citations.csv"):
    nodes = pd.read_csv(node_file)
    cites = pd.read_csv(edge_file)
    index = {pid: i for i, pid in enumerate(nodes["paper_id"])}

    feature_cols = [c for c in nodes.columns if c.startswith("w_")]
    x = torch.tensor(nodes[feature_cols].to_numpy(), dtype=torch.float32)
    topics = sorted(nodes["topic"].unique())
    y = torch.tensor([topics.index(t) for t in nodes["topic"]])

    n = len(nodes)
    src = torch.tensor([index[p] for p in cites["citing"]])
    dst = torch.tensor([index[p] for p in cites["cited"]])
    adj = torch.zeros(n, n)
    adj[src, dst] = 1.0
    adj[dst, src] = 1.0

    train_mask = torch.tensor((nodes["fold"] < 4).to_numpy())
    return PaperGraph(x, y, normalize(adj), train_mask, ~train_mask), topics
