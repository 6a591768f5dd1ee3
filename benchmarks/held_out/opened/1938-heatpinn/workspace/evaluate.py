import torch

import pde
from sampling import lattice


@torch.no_grad()
def relative_error(model, cfg):
    xt = lattice(41, 21, cfg.t_end)
    want = pde.exact(xt, cfg.alpha)
    return ((model(xt) - want).norm() / want.norm()).item()


@torch.no_grad()
def residual_stats(model, cfg):
    xt = lattice(41, 21, cfg.t_end)
    r = pde.residual(model, xt, cfg.alpha).detach().abs()
    return r.mean().item(), r.max().item()


def summary(model, cfg):
    model.eval()
    err = relative_error(model, cfg)
    mean_r, max_r = residual_stats(model, cfg)
    model.train()
    return f"rel. L2 error {err:.4f} | residual mean {mean_r:.2e} max {max_r:.2e}"
