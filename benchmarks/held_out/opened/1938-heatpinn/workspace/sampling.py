import torch


def interior(n, t_end):
    xt = torch.rand(n, 2)
    xt[:, 1] *= t_end
    return xt


def boundary(n, t_end):
    """A third of the points on each of t=0, x=0 and x=1."""
    k = n // 3
    start = torch.stack([torch.rand(k), torch.zeros(k)], dim=1)
    left = torch.stack([torch.zeros(k), torch.rand(k) * t_end], dim=1)
    right = torch.stack([torch.ones(k), torch.rand(k) * t_end], dim=1)
    return torch.cat([start, left, right])


def lattice(nx, nt, t_end):
    xs = torch.linspace(0, 1, nx)
    ts = torch.linspace(0, t_end, nt)
    gx, gt = torch.meshgrid(xs, ts, indexing="ij")
    return torch.stack([gx.flatten(), gt.flatten()], dim=1)
