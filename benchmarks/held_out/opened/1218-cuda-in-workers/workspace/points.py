import torch
from torch.utils.data import Dataset

SHAPES = ("sphere", "cube", "cylinder", "plane")


def sample_shape(kind, n):
    if kind == "sphere":
        p = torch.randn(n, 3)
        return p / p.norm(dim=1, keepdim=True)
    if kind == "cube":
        p = torch.rand(n, 3) * 2 - 1
        axis = torch.randint(0, 3, (n,))
        p[torch.arange(n), axis] = p[torch.arange(n), axis].sign()
        return p
    if kind == "cylinder":
        a = torch.rand(n) * 6.2832
        return torch.stack([a.cos(), a.sin(), torch.rand(n) * 2 - 1], 1)
    return torch.cat([torch.rand(n, 2) * 2 - 1, torch.zeros(n, 1)], 1)


class ShapeClouds(Dataset):
    def __init__(self, size, low=200, high=400):
        self.size, self.low, self.high = size, low, high

    def __len__(self):
        return self.size

    def __getitem__(self, i):
        label = i % len(SHAPES)
        n = int(torch.randint(self.low, self.high, (1,)))
        return sample_shape(SHAPES[label], n) + 0.02 * torch.randn(n, 3), label


class Collator:
    """Resamples every cloud to the same number of points."""

    def __init__(self, num_points, device):
        self.num_points = num_points
        self.device = device

    def __call__(self, batch):
        clouds = []
        for pts, _ in batch:
            idx = torch.randint(0, len(pts), (self.num_points,))
            clouds.append(pts[idx])
        labels = torch.tensor([l for _, l in batch])
        return torch.stack(clouds).to(self.device), labels.to(self.device)
