import json
import random
from dataclasses import dataclass

import torch


@dataclass
class Graph:
    x: torch.Tensor          # [atoms, types] one-hot
    edges: torch.Tensor      # [2, bonds * 2]
    label: float


def bonds_to_edges(bonds, edges=[]):
    """Both directions of every bond; `edges` may hold extra (i, j) pairs."""
    for i, j in bonds:
        edges.append((i, j))
        edges.append((j, i))
    return torch.tensor(edges, dtype=torch.long).T


def read_molecules(path, atoms):
    index = {a: k for k, a in enumerate(atoms)}
    graphs = []
    with open(path) as f:
        for line in f:
            mol = json.loads(line)
            kinds = torch.tensor([index[a] for a in mol["atoms"]])
            x = torch.nn.functional.one_hot(kinds, len(atoms)).float()
            graphs.append(Graph(x, bonds_to_edges(mol["bonds"]), float(mol["toxic"])))
    return graphs


def split(graphs, val_fraction, seed):
    graphs = list(graphs)
    random.Random(seed).shuffle(graphs)
    n_val = int(len(graphs) * val_fraction)
    return graphs[n_val:], graphs[:n_val]


def collate(graphs):
    xs, edges, owner, labels = [], [], [], []
    offset = 0
    for k, g in enumerate(graphs):
        xs.append(g.x)
        edges.append(g.edges + offset)
        owner.append(torch.full((len(g.x),), k))
        labels.append(g.label)
        offset += len(g.x)
    return torch.cat(xs), torch.cat(edges, dim=1), torch.cat(owner), torch.tensor(labels)
