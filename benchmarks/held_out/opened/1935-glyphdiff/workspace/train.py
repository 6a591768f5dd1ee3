import copy
import os
import sys

import torch
import torch.nn.functional as F
from PIL import Image

from diffusion import Diffusion
from glyphs import endless_batches
from settings import Settings
from unet import SmallUNet


def to_contact_sheet(x, columns):
    """(N, 1, H, W) in [-1, 1]  ->  one grey picture, N // columns rows"""
    n, _, h, w = x.shape
    rows = n // columns
    x = ((x + 1) * 127.5).round().byte()
    sheet = x[: rows * columns, 0].view(rows, columns, h, w)
    sheet = sheet.permute(0, 2, 1, 3).view(rows * h, columns * w)
    return Image.fromarray(sheet.numpy())


@torch.no_grad()
def update_ema(ema, model, decay):
    for pe, p in zip(ema.parameters(), model.parameters()):
        pe.lerp_(p, 1 - decay)


def main():
    s = Settings.load(sys.argv[1])
    torch.manual_seed(0)
    os.makedirs(s.out_dir, exist_ok=True)
    model = SmallUNet(s.base_channels, s.channel_mult)
    ema = copy.deepcopy(model)
    print("parameters:", sum(p.numel() for p in model.parameters()))
    diff = Diffusion(s.timesteps, s.beta_start, s.beta_end)
    opt = torch.optim.AdamW(model.parameters(), lr=s.lr)
    batches = endless_batches(s.batch_size, s.image_size)

    running = None
    for step in range(1, s.steps + 1):
        x0 = next(batches)
        t = torch.randint(0, diff.T, (len(x0),))
        noise = torch.randn_like(x0)
        pred = model(diff.noisy(x0, t, noise), t)
        loss = F.mse_loss(pred, noise)
        opt.zero_grad()
        loss.backward()
        opt.step()
        update_ema(ema, model, s.ema_decay)
        running = loss.item() if running is None else 0.95 * running + 0.05 * loss.item()
        if step % 15 == 0:
            print(f"step {step:4d}  loss {running:.4f}")

    torch.save({"ema": ema.state_dict(), "settings": vars(s)}, os.path.join(s.out_dir, "last.pt"))
    samples = diff.sample(ema, s.n_samples, s.image_size)
    print(f"samples: mean {samples.mean():.3f} std {samples.std():.3f}")
    path = os.path.join(s.out_dir, "samples.png")
    to_contact_sheet(samples, s.grid_columns).save(path)
    print("wrote", path)


if __name__ == "__main__":
    main()
