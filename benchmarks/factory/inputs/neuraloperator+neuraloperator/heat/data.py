import torch
from torch.utils.data import DataLoader, Dataset


def heat_flow(initial, time=0.01):
    """Periodic heat equation solved in Fourier space; shapes (n, 1, size, size)."""
    size = initial.shape[-1]
    k = 2 * torch.pi * torch.fft.fftfreq(size, d=1 / size)
    decay = torch.exp(-time * (k[:, None] ** 2 + k[None, :] ** 2))
    return torch.fft.ifft2(torch.fft.fft2(initial) * decay).real


def random_fields(count, size, modes=4, seed=0):
    generator = torch.Generator().manual_seed(seed)
    grid = torch.arange(size) / size
    y, x = torch.meshgrid(grid, grid, indexing="ij")
    fields = torch.zeros(count, 1, size, size)
    for i in range(1, modes + 1):
        phase = 2 * torch.pi * torch.rand(count, 2, 1, 1, generator=generator)
        amplitude = torch.randn(count, 1, 1, generator=generator) / i
        wave = torch.sin(2 * torch.pi * i * x + phase[:, 0]) * torch.cos(2 * torch.pi * y + phase[:, 1])
        fields[:, 0] += amplitude * wave
    return fields


class HeatDataset(Dataset):
    def __init__(self, count, size, seed):
        self.x = random_fields(count, size, seed=seed)
        self.y = heat_flow(self.x)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, index):
        return {"x": self.x[index], "y": self.y[index]}


def make_loaders(config):
    train = HeatDataset(config.train_size, config.resolution, seed=0)
    loader = DataLoader(train, batch_size=config.batch_size, shuffle=True)
    tests = {
        size: DataLoader(HeatDataset(config.test_size, size, seed=1), batch_size=config.batch_size)
        for size in (config.resolution, config.test_resolution)
    }
    return loader, tests
