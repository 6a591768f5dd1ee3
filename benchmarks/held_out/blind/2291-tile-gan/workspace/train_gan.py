from dataclasses import dataclass

import torch
from torch.utils.data import DataLoader

from nets import Discriminator, Generator
from objectives import discriminator_loss, generator_loss
from patterns import Azulejos


@dataclass
class Settings:
    latent: int = 16
    batch: int = 32
    epochs: int = 3
    tiles: int = 512
    lr: float = 5e-4
    r1: float = 0.1
    r1_every: int = 4
    ema: float = 0.98


class GanTrainer:
    def __init__(self, s: Settings):
        self.s = s
        self.gen, self.disc = Generator(s.latent), Discriminator()
        self.avg = Generator(s.latent)
        self.avg.load_state_dict(self.gen.state_dict())
        self.opt_g = torch.optim.Adam(self.gen.parameters(), lr=s.lr, betas=(0.0, 0.99))
        self.opt_d = torch.optim.Adam(self.disc.parameters(), lr=s.lr, betas=(0.0, 0.99))
        self.step_no = 0

    def step(self, real):
        s = self.s
        fake = self.gen(torch.randn(len(real), s.latent))

        r1 = s.r1 * s.r1_every if self.step_no % s.r1_every == 0 else 0.0
        d_loss = discriminator_loss(self.disc, real, fake, r1)
        self.opt_d.zero_grad()
        d_loss.backward()
        self.opt_d.step()

        g_loss = generator_loss(self.disc, fake)
        self.opt_g.zero_grad()
        g_loss.backward()
        self.opt_g.step()

        with torch.no_grad():
            for a, p in zip(self.avg.parameters(), self.gen.parameters()):
                a.lerp_(p, 1 - s.ema)
        self.step_no += 1
        return d_loss.item(), g_loss.item()

    @torch.no_grad()
    def symmetry(self, n=64):
        x = self.avg(torch.randn(n, self.s.latent))
        return (x - x.flip(-1)).abs().mean().item()


def main():
    torch.manual_seed(77)
    s = Settings()
    trainer = GanTrainer(s)
    loader = DataLoader(Azulejos(s.tiles), batch_size=s.batch)
    for epoch in range(s.epochs):
        for real in loader:
            d, g = trainer.step(real)
        print(f"epoch {epoch}: d {d:.3f} g {g:.3f} asymmetry {trainer.symmetry():.3f}")


if __name__ == "__main__":
    main()
