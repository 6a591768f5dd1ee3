import numpy as np
import pandas as pd
import torch


def read_papers(path):
    papers = pd.read_csv(path)
    y, areas = pd.factorize(papers["area"], sort=True)
    x = papers.filter(regex=r"^w\d+$").to_numpy(dtype=np.float32)
    x = x / np.clip(x.sum(1, keepdims=True), 1, None)
    return torch.from_numpy(x), torch.from_numpy(y), list(areas)


def read_citations(path, max_year):
    cites = pd.read_csv(path)
    cites = cites[cites["year"] <= max_year]
    return torch.from_numpy(cites[["citing", "cited"]].to_numpy().T.copy())


def normalised_adjacency(edges):
    """D^-1/2 (A + I) D^-1/2 as a sparse matrix, links taken in both directions."""
    n = int(edges.max()) + 1
    loops = torch.arange(n).repeat(2, 1)
    both = torch.cat([edges, edges.flip(0), loops], dim=1)
    both = torch.unique(both, dim=1)
    deg = torch.zeros(n).index_add_(0, both[0], torch.ones(both.shape[1]))
    w = deg[both[0]].rsqrt() * deg[both[1]].rsqrt()
    return torch.sparse_coo_tensor(both, w, (n, n)).coalesce()
