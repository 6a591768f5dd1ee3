import json

import numpy as np
import torch

ELEMENTS = ["C", "N", "O", "F", "Cl", "S"]
VALENCE = {"C": 4, "N": 3, "O": 2, "F": 1, "Cl": 1, "S": 2}


def atom_features(atoms, bonds):
    degree = np.zeros(len(atoms), dtype=np.float32)
    for i, j, _ in bonds:
        degree[i] += 1
        degree[j] += 1
    rows = []
    for sym, d in zip(atoms, degree):
        one_hot = [float(sym == e) for e in ELEMENTS]
        rows.append(one_hot + [d / 4, VALENCE[sym] / 4])
    return torch.from_numpy(np.array(rows, dtype=np.float32))


def bond_tensors(bonds):
    b = torch.tensor(bonds)
    src = torch.cat([b[:, 0], b[:, 1]])
    dst = torch.cat([b[:, 1], b[:, 0]])
    order = torch.cat([b[:, 2], b[:, 2]])
    return torch.stack([src, dst]), torch.nn.functional.one_hot(order - 1, 3).float()


def read_molecules(path):
    graphs = []
    for m in json.load(open(path)):
        edges, edge_attr = bond_tensors(m["bonds"])
        graphs.append({"x": atom_features(m["atoms"], m["bonds"]), "edges": edges,
                       "edge_attr": edge_attr, "y": m["logS"]})
    return graphs


def merge(graphs):
    """One big disconnected graph out of a list of graphs."""
    xs, edges, attrs, owner = [], [], [], []
    shift = 0
    for k, g in enumerate(graphs):
        n = g["x"].shape[0]
        shift += n
        xs.append(g["x"])
        edges.append(g["edges"] + shift)
        attrs.append(g["edge_attr"])
        owner.append(torch.full((n,), k))
    y = torch.tensor([g["y"] for g in graphs])
    return torch.cat(xs), torch.cat(edges, dim=1), torch.cat(attrs), torch.cat(owner), y
