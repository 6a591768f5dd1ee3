from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor


@dataclass
class Graph:
    x: Tensor            # (N, F)
    y: Tensor            # (N,)
    edge_index: Tensor   # (2, E), both directions

    def summary(self) -> str:
        return (f"Graph(nodes={self.x.shape[0]}, feats={self.x.shape[1]}, "
                f"edge_index={tuple(self.edge_index.shape)}, classes={int(self.y.max()) + 1})")


def random_sbm(sizes, p_in, p_out, n_feat, seed):
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(len(sizes)), sizes)
    n = len(y)
    prob = np.where(y[:, None] == y[None, :], p_in, p_out)
    upper = np.triu(rng.random((n, n)) < prob, k=1)
    pairs = np.argwhere(upper)                              # (E, 2)
    centers = rng.normal(size=(len(sizes), n_feat)) * 0.5
    x = centers[y] + rng.normal(size=(n, n_feat))
    return x.astype(np.float32), y, pairs


def save_graph(path: Path, x, y, pairs) -> None:
    np.savez_compressed(path, x=x, y=y, pairs=pairs)


def load_graph(path: Path) -> Graph:
    with np.load(path) as z:
        x, y, pairs = z["x"], z["y"], z["pairs"]
    both = np.concatenate([pairs, pairs[:, ::-1]], axis=0)
    edge_index = torch.from_numpy(both).contiguous()
    return Graph(torch.from_numpy(x), torch.from_numpy(y), edge_index)
