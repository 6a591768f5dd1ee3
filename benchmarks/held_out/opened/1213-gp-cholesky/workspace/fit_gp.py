import sys
import tomllib

import torch

from gp import ExactGP


def load_sites(points, repeats, seed):
    g = torch.Generator().manual_seed(seed)
    sites = torch.rand(points // repeats, 2, generator=g) * 4
    x = sites.repeat_interleave(repeats, dim=0)
    y = torch.sin(2 * x[:, 0]) * torch.cos(x[:, 1])
    return x, y + 0.1 * torch.randn(len(y), generator=g)


def main(path):
    with open(path, "rb") as fh:
        cfg = tomllib.load(fh)
    x, y = load_sites(**cfg["data"])
    x, y = x.cuda(), y.cuda()
    gp = ExactGP(**cfg["kernel"]).cuda()
    opt = torch.optim.Adam(gp.parameters(), lr=cfg["fit"]["lr"])
    for step in range(cfg["fit"]["steps"]):
        opt.zero_grad()
        loss = gp.nll(x, y)
        loss.backward()
        opt.step()
        if step % 10 == 0:
            print(f"step {step:3d} nll {loss.item():.4f} lengthscale {gp.log_ls.exp().item():.3f}")
    grid = torch.cartesian_prod(torch.linspace(0, 4, 20), torch.linspace(0, 4, 20)).cuda()
    mean, var = gp.predict(x, y, grid)
    truth = torch.sin(2 * grid[:, 0]) * torch.cos(grid[:, 1])
    print(f"grid rmse {(mean - truth).pow(2).mean().sqrt().item():.4f}, mean sd {var.sqrt().mean().item():.4f}")


if __name__ == "__main__":
    main(sys.argv[1])
