import argparse
from dataclasses import fields

import torch
from torch import nn

import pde
from config import Config
from evaluate import summary
from sampling import boundary, interior


def build_mlp(cfg):
    layers, width = [], 2
    for _ in range(cfg.depth):
        layers += [nn.Linear(width, cfg.hidden), nn.Tanh()]
        width = cfg.hidden
    layers.append(nn.Linear(width, 1))
    return nn.Sequential(*layers)


def parse_config():
    parser = argparse.ArgumentParser(description=pde.__doc__)
    for f in fields(Config):
        parser.add_argument(f"--{f.name}", type=type(f.default), default=f.default)
    return Config(**vars(parser.parse_args()))


def main():
    cfg = parse_config()
    torch.manual_seed(cfg.seed)
    model = build_mlp(cfg)
    opt = torch.optim.Adam(model.parameters(), lr=cfg.lr)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, cfg.iters)

    for it in range(1, cfg.iters + 1):
        xb = boundary(cfg.n_boundary, cfg.t_end)
        loss_b = (model(xb) - pde.exact(xb, cfg.alpha)).pow(2).mean()
        xi = interior(cfg.n_interior, cfg.t_end)
        loss_r = pde.residual(model, xi, cfg.alpha).pow(2).mean()
        loss = loss_r + cfg.w_boundary * loss_b
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        if it % cfg.report_every == 0:
            print(f"it {it:5d}  pde {loss_r.item():.3e}  bc {loss_b.item():.3e}")
            print("   ", summary(model, cfg))

    torch.save(model.state_dict(), "heat.pt")


if __name__ == "__main__":
    main()
