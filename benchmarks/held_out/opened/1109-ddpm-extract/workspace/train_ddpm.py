import click
import torch
from torch.utils.data import DataLoader, TensorDataset
from tqdm import trange

from diffusion import GaussianDiffusion
from unet import UNet


def make_rings(n, size=16):
    r = torch.empty(n, 1, 1).uniform_(2.5, 6.0)
    cx, cy = torch.empty(2, n, 1, 1).uniform_(6.0, 10.0)
    yy, xx = torch.meshgrid(torch.arange(size), torch.arange(size), indexing="ij")
    dist = ((xx[None] - cx) ** 2 + (yy[None] - cy) ** 2).sqrt()
    return (torch.exp(-(dist - r) ** 2) * 2 - 1).unsqueeze(1)


class EMA:
    def __init__(self, module, decay):
        self.decay = decay
        self.shadow = {k: v.detach().clone() for k, v in module.state_dict().items()}

    def update(self, module):
        for k, v in module.state_dict().items():
            self.shadow[k].mul_(self.decay).add_(v.detach(), alpha=1 - self.decay)


@click.command()
@click.option("--steps", default=60, show_default=True)
@click.option("--timesteps", default=50, show_default=True)
@click.option("--batch-size", default=24, show_default=True)
@click.option("--mults", default="1,2", help="channel multipliers")
@click.option("--lr", default=2e-3)
def main(steps, timesteps, batch_size, mults, lr):
    torch.manual_seed(42)
    images = make_rings(480)
    loader = DataLoader(TensorDataset(images), batch_size, shuffle=True, drop_last=True)
    net = UNet(mults=tuple(int(m) for m in mults.split(",")))
    diffusion = GaussianDiffusion(net, timesteps)
    ema = EMA(diffusion, 0.95)
    opt = torch.optim.AdamW(diffusion.parameters(), lr=lr, weight_decay=1e-4)

    def forever():
        while True:
            yield from loader

    stream, history = forever(), []
    for step in trange(steps, disable=None):
        (x,) = next(stream)
        loss = diffusion(x)
        opt.zero_grad()
        loss.backward()
        opt.step()
        ema.update(diffusion)
        history.append(loss.item())
        if (step + 1) % 20 == 0:
            print(f"step {step + 1}: loss {sum(history[-20:]) / 20:.4f}")

    diffusion.load_state_dict(ema.shadow)
    diffusion.eval()
    samples = diffusion.sample(8, images.shape[1:])
    print(f"samples: mean {samples.mean():+.3f} (data {images.mean():+.3f}), std {samples.std():.3f} (data {images.std():.3f})")


if __name__ == "__main__":
    main()
