import torch
from torch.utils.data import TensorDataset


def make_rings(n, size=16, seed=0):
    gen = torch.Generator().manual_seed(seed)
    axis = torch.linspace(-1, 1, size)
    yy, xx = torch.meshgrid(axis, axis, indexing="ij")
    centre = (torch.rand(n, 2, 1, 1, generator=gen) - 0.5) * 0.6
    radius = 0.3 + 0.3 * torch.rand(n, 1, 1, generator=gen)
    dist = ((yy - centre[:, 0]) ** 2 + (xx - centre[:, 1]) ** 2).sqrt()
    images = torch.exp(-((dist - radius) ** 2) / 0.01)
    return TensorDataset((images * 2 - 1)[:, None])
