r"""Heat equation u_t = alpha u_xx on [0, 1], u(x, 0) = sin(pi x), ends held at 0."""
import math

import torch


def exact(xt, alpha):
    x, t = xt[:, :1], xt[:, 1:]
    return torch.exp(-alpha * math.pi ** 2 * t) * torch.sin(math.pi * x)


def derivative(u, xt):
    """du/d(x, t), shape (n, 2)"""
    return torch.autograd.grad(u, xt, torch.ones_like(u), create_graph=True)[0]


def residual(model, xt, alpha):
    xt = xt.clone().requires_grad_(True)
    u = model(xt)
    du = derivative(u, xt)
    u_x, u_t = du[:, :1], du[:, 1:]
    u_xx = derivative(u_x, xt)[:, :1]
    return u_t - alpha * u_xx
