"""Molecules as atom lists and bond lists (data/molecules.json), targets in data/targets.csv."""
import json
import math
from pathlib import Path

import pandas as pd
import torch
from torch.utils.data import Dataset

ELEMENTS = ("C", "N", "O", "F", "S", "Cl")


class MoleculeSet(Dataset):
    def __init__(self, folder, tasks, ids=None):
        folder = Path(folder)
        with open(folder / "molecules.json") as f:
            self.graphs = json.load(f)
        table = pd.read_csv(folder / "targets.csv", dtype={"mol_id": str}).set_index("mol_id")
        self.targets = table[list(tasks)]
        self.ids = list(ids) if ids is not None else list(table.index)

    def __len__(self):
        return len(self.ids)

    def subset(self, ids):
        other = object.__new__(MoleculeSet)
        other.graphs, other.targets, other.ids = self.graphs, self.targets, list(ids)
        return other

    def target_stats(self):
        t = self.targets.loc[self.ids]
        mean = torch.tensor(t.mean().to_numpy(), dtype=torch.float32)
        std = torch.tensor(t.std().to_numpy(), dtype=torch.float32)
        return mean, std

    def __getitem__(self, i):
        mol_id = self.ids[i]
        g = self.graphs[mol_id]
        n = len(g["atoms"])
        x = torch.zeros(n, len(ELEMENTS) + 1)
        for a, symbol in enumerate(g["atoms"]):
            x[a, ELEMENTS.index(symbol)] = 1.0
        adj = torch.zeros(n, n)
        for u, v, order in g["bonds"]:
            adj[u, v] = adj[v, u] = order
        x[:, -1] = adj.sum(dim=1) / 4
        y = torch.tensor(self.targets.loc[mol_id].to_numpy(), dtype=torch.float32)
        return x, adj, y


def pad_graphs(batch):
    n_max = max(x.size(0) for x, _, _ in batch)
    n_feat = batch[0][0].size(1)
    xs = torch.zeros(len(batch), n_max, n_feat)
    adjs = torch.zeros(len(batch), n_max, n_max)
    mask = torch.zeros(len(batch), n_max, dtype=torch.bool)
    ys = []
    for i, (x, adj, y) in enumerate(batch):
        n = x.size(0)
        xs[i, :n] = x
        adjs[i, :n, :n] = adj
        mask[i, :n] = True
        ys.append(y)
    return xs, adjs, mask, torch.stack(ys)
