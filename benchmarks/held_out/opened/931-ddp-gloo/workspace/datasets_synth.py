import torch
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler


class Spirals(Dataset):
    """Three noisy 2-D spiral arms with 16 random Fourier features."""

    def __init__(self, n=900, seed=0):
        g = torch.Generator().manual_seed(seed)
        per = n // 3
        xs, ys = [], []
        for k in range(3):
            r = torch.linspace(0.1, 1.0, per)
            theta = r * 4.0 + 2.0944 * k + 0.15 * torch.randn(per, generator=g)
            xs.append(torch.stack([r * theta.cos(), r * theta.sin()], dim=1))
            ys.append(torch.full((per,), k))
        freq = torch.randn(2, 8, generator=torch.Generator().manual_seed(99)) * 3
        proj = torch.cat(xs) @ freq
        self.x = torch.cat([proj.sin(), proj.cos()], dim=1)
        self.y = torch.cat(ys)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


def build_loaders(global_batch, world_size):
    train = Spirals(seed=0)
    test = Spirals(n=300, seed=1)
    sampler = DistributedSampler(train, shuffle=True)
    train_loader = DataLoader(train, batch_size=global_batch // world_size, sampler=sampler)
    test_loader = DataLoader(test, batch_size=100)
    return train_loader, test_loader, sampler
