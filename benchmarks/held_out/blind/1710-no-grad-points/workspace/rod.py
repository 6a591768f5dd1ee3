"""Heat equation u_t = alpha u_xx on a rod of length 1 with both ends held at 0."""
import math

import torch

ALPHA = 0.4
T_END = 0.5


def initial_profile(x):
    return torch.sin(math.pi * x) + 0.5 * torch.sin(2 * math.pi * x)


def sample_interior(n):
    x = torch.rand(n, 1)
    t = torch.rand(n, 1) * T_END
    return torch.cat([x, t], dim=1)


def sample_initial(n):
    x = torch.rand(n, 1)
    return torch.cat([x, torch.zeros_like(x)], dim=1), initial_profile(x)


def sample_ends(n):
    t = torch.rand(n, 1) * T_END
    side = (torch.rand(n, 1) > 0.5).float()
    return torch.cat([side, t], dim=1)


def derivative(y, x):
    return torch.autograd.grad(y, x, grad_outputs=torch.ones_like(y), create_graph=True)[0]


def residual(net, xt):
    u = net(xt)
    du = derivative(u, xt)
    u_x, u_t = du[:, 0:1], du[:, 1:2]
    u_xx = derivative(u_x, xt)[:, 0:1]
    return u_t - ALPHA * u_xx
