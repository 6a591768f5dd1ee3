import json
import sys

import torch
from torch.nn.functional import mse_loss

from diffusion import toys
from diffusion.ema import EMA
from diffusion.model import Denoiser
from diffusion.schedule import Schedule


def main(config="config.json"):
    with open(config) as f:
        cfg = json.load(f)
    torch.manual_seed(cfg["seed"])
    data = toys.make(**cfg["dataset"], seed=cfg["seed"])
    schedule = Schedule(cfg["timesteps"], cfg["beta_start"], cfg["beta_end"])
    model = Denoiser(**cfg["model"])
    ema = EMA(model, cfg["train"]["ema"])
    opt = torch.optim.Adam(model.parameters(), lr=cfg["train"]["lr"])

    for step in range(1, cfg["train"]["steps"] + 1):
        x0 = data[torch.randint(len(data), (cfg["train"]["batch_size"],))]
        t = schedule.sample_t(len(x0))
        eps = torch.randn_like(x0)
        loss = mse_loss(model(schedule.noisy(x0, t, eps), t), eps)
        opt.zero_grad()
        loss.backward()
        opt.step()
        ema.update(model)
        if step % 100 == 0:
            print(f"step {step}: loss {loss.item():.3f}")

    samples = schedule.generate(ema.model, cfg["samples"])
    radius = samples.norm(dim=1)
    print(f"{len(samples)} samples, radius {radius.mean():.2f} +- {radius.std():.2f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
