import json
from dataclasses import dataclass

import torch
from torch.utils.data import Dataset

ATOMS = ["C", "N", "O", "F", "S", "*"]      # "*" is the virtual atom
BONDS = {"single": 0, "double": 1, "aromatic": 2, "virtual": 3}


@dataclass
class Graph:
    atoms: torch.Tensor      # (n,) atom types
    edges: torch.Tensor      # (2, e) both directions
    bonds: torch.Tensor      # (e,)
    num_atoms: int
    y: float


@dataclass
class GraphBatch:
    atoms: torch.Tensor
    edges: torch.Tensor
    bonds: torch.Tensor
    graph_id: torch.Tensor
    num_graphs: int
    y: torch.Tensor


class MoleculeFile(Dataset):
    def __init__(self, path, virtual_atom=False):
        self.virtual_atom = virtual_atom
        with open(path) as f:
            self.records = [json.loads(line) for line in f if line.strip()]

    def __len__(self):
        return len(self.records)

    def __getitem__(self, i):
        rec = self.records[i]
        atoms = [ATOMS.index(a) for a in rec["atoms"]]
        links = [(a, b, BONDS[kind]) for a, b, kind in rec["bonds"]]
        if self.virtual_atom:
            hub = len(atoms)
            links += [(hub, a, BONDS["virtual"]) for a in range(hub)]
            atoms.append(ATOMS.index("*"))
        src, dst, kind = (list(c) for c in zip(*links))
        return Graph(
            atoms=torch.tensor(atoms),
            edges=torch.tensor([src + dst, dst + src]),
            bonds=torch.tensor(kind + kind),
            num_atoms=len(rec["atoms"]),
            y=rec["logS"],
        )


def collate(graphs):
    counts = torch.tensor([g.num_atoms for g in graphs])
    starts = torch.cumsum(counts, 0) - counts
    return GraphBatch(
        atoms=torch.cat([g.atoms for g in graphs]),
        edges=torch.cat([g.edges + s for g, s in zip(graphs, starts)], dim=1),
        bonds=torch.cat([g.bonds for g in graphs]),
        graph_id=torch.repeat_interleave(torch.arange(len(graphs)), counts),
        num_graphs=len(graphs),
        y=torch.tensor([g.y for g in graphs]),
    )
