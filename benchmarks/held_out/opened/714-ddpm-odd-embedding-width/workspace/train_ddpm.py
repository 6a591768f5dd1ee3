import sys

import torch
import torch.nn.functional as F
from omegaconf import OmegaConf

from diffusion import Denoiser, NoiseSchedule
from waves import make_waves


def train(cfg, model, sched):
    data = make_waves(cfg.data.n, cfg.data.length, cfg.seed)
    opt = torch.optim.Adam(model.parameters(), lr=cfg.train.lr)
    for epoch in range(cfg.train.epochs):
        losses = []
        for x0 in data[torch.randperm(len(data))].split(cfg.train.batch_size):
            t = torch.randint(0, sched.timesteps, (len(x0),))
            noise = torch.randn_like(x0)
            xt = sched.add_noise(x0, noise, t)
            loss = F.mse_loss(model(xt, t), noise)
            opt.zero_grad()
            loss.backward()
            opt.step()
            losses.append(loss.item())
        print(f"epoch {epoch} loss {sum(losses) / len(losses):.4f}")


@torch.no_grad()
def sample(cfg, model, sched):
    x = torch.randn(cfg.sample.n, 1, cfg.data.length)
    for step in reversed(range(sched.timesteps)):
        t = torch.full((cfg.sample.n,), step)
        x = sched.step_back(x, model(x, t), step)
    return x


def main():
    cfg = OmegaConf.merge(OmegaConf.load("conf/ddpm.yaml"), OmegaConf.from_cli(sys.argv[1:]))
    torch.manual_seed(cfg.seed)
    model = Denoiser(**cfg.model)
    sched = NoiseSchedule(**cfg.schedule)
    train(cfg, model, sched)
    x = sample(cfg, model, sched)
    print("samples", tuple(x.shape), "std %.3f" % x.std().item())


if __name__ == "__main__":
    main()
