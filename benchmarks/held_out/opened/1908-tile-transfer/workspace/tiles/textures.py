import math
import torch


def _grid(size):
    r = torch.arange(size, dtype=torch.float32)
    return torch.meshgrid(r, r, indexing="ij")


def render(name, size, g):
    y, x = _grid(size)
    px, py = torch.rand(2, generator=g) * size
    wob = 0.9 + 0.2 * torch.rand((), generator=g)
    if name == "brick":
        row = ((y + py) // 6)
        t = (((y + py) % 6 > 1) & ((x + px + 5 * (row % 2)) % 10 > 1)).float()
    elif name == "wood":
        t = torch.sin((x + px) * 0.9 * wob + torch.sin(y * 0.2))
    elif name == "cloth":
        t = torch.sin(x + px) * torch.sin(y + py)
    elif name == "noise":
        t = torch.randn(size, size, generator=g)
    elif name == "checker":
        t = (((x + px) // 5 + (y + py) // 5) % 2)
    elif name == "fine_wood":
        t = torch.sin((x + px) * 1.6 * wob)
    elif name == "coarse_wood":
        t = torch.sin((x + px) * 0.5 * wob)
    elif name == "diagonal":
        t = torch.sin((x + y + px) * 0.6 * wob)
    else:
        raise KeyError(name)
    t = (t - t.mean()) / (t.std() + 1e-5)
    return t + 0.3 * torch.randn(size, size, generator=g)


def make_set(materials, n, size, seed):
    g = torch.Generator().manual_seed(seed)
    y = torch.arange(n) % len(materials)
    x = torch.stack([render(materials[int(k)], size, g) for k in y])[:, None]
    return torch.utils.data.TensorDataset(x, y)
