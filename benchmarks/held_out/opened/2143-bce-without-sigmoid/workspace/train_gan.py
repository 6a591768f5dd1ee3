import sys

import torch
import yaml

from gan import Discriminator, Generator, discriminator_step, generator_step
from gan.digits import digit_loader, forever
from gan.steps import noise


def ascii_grid(images, columns):
    shades = " .:-=+*#%@"
    for start in range(0, len(images), columns):
        row = images[start:start + columns].view(-1, 8, 8)
        for line in range(8):
            print("  ".join("".join(shades[int(p * 9)] for p in im[line]) for im in row))
        print()


def main(cfg):
    torch.manual_seed(cfg["seed"])
    gen = Generator(cfg["latent"], **cfg["gen"])
    disc = Discriminator(**cfg["disc"])
    opt_g = torch.optim.Adam(gen.parameters(), lr=cfg["lr_g"], betas=(0.5, 0.999))
    opt_d = torch.optim.Adam(disc.parameters(), lr=cfg["lr_d"], betas=(0.5, 0.999))

    data = forever(digit_loader(cfg["batch"]))
    for it in range(1, cfg["iterations"] + 1):
        real = next(data)
        fake = gen(noise(len(real), cfg["latent"]))
        d_loss, p_real, p_fake = discriminator_step(disc, opt_d, real, fake.detach(), cfg["smooth"])
        g_loss = generator_step(disc, opt_g, fake)
        if it % 20 == 0:
            print(f"it {it:4d}  D {d_loss:.3f}  G {g_loss:.3f}  D(x) {p_real:.2f}  D(G(z)) {p_fake:.2f}")

    gen.eval()
    with torch.no_grad():
        ascii_grid(gen(noise(cfg["sample_grid"], cfg["latent"])), cfg["sample_grid"])


if __name__ == "__main__":
    with open(sys.argv[1]) as f:
        main(yaml.safe_load(f))
