import copy

import torch
import yaml
from torch.utils.data import DataLoader

from diffusion import GaussianDiffusion
from network import Denoiser
from spiral import spiral


class EMA:
    def __init__(self, model, decay):
        self.model = copy.deepcopy(model).eval().requires_grad_(False)
        self.decay = decay

    def update(self, model):
        for mine, theirs in zip(self.model.parameters(), model.parameters()):
            mine.lerp_(theirs.detach(), 1 - self.decay)


def main():
    with open("ddpm.yml") as fh:
        cfg = yaml.safe_load(fh)
    torch.manual_seed(0)

    data = spiral(**cfg["data"])
    diffusion = GaussianDiffusion(**cfg["diffusion"])
    model = Denoiser(**cfg["network"])
    tr = cfg["training"]
    ema = EMA(model, tr["ema"])
    optimizer = torch.optim.AdamW(model.parameters(), lr=tr["lr"])
    loader = DataLoader(data, batch_size=tr["batch_size"], shuffle=True, drop_last=True)

    for epoch in range(tr["epochs"]):
        total = 0.0
        for x0 in loader:
            loss = diffusion.loss(model, x0)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            ema.update(model)
            total += loss.item()
        print(f"epoch {epoch + 1:2d}  noise mse {total / len(loader):.4f}")

    points = diffusion.sample(ema.model, cfg["sampling"]["n"])
    print("sample radius", points.norm(dim=1).mean().item())


if __name__ == "__main__":
    main()
