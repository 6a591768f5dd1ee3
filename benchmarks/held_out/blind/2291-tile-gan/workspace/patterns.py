"""Azulejo-like 16x16 tiles with four-fold symmetry."""
import torch
from torch.utils.data import IterableDataset


class Azulejos(IterableDataset):
    def __init__(self, n, seed=0):
        self.n, self.seed = n, seed

    def __iter__(self):
        g = torch.Generator().manual_seed(self.seed)
        ax = torch.linspace(0, 1, 8)
        yy, xx = torch.meshgrid(ax, ax, indexing="ij")
        for _ in range(self.n):
            r0, w, f = torch.rand(3, generator=g).tolist()
            r = torch.sqrt(xx ** 2 + yy ** 2)
            q = torch.cos(6 * (1 + f) * r + 3 * r0) + 0.5 * torch.cos(8 * w * (xx * yy))
            q = torch.cat([q.flip(0), q], 0)
            q = torch.cat([q.flip(1), q], 1)
            yield torch.tanh(2 * q)[None]
