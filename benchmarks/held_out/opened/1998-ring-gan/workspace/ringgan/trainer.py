import torch
import torch.nn.functional as F

from .mixture import RingMixture
from .nets import Discriminator, Generator


class GanTrainer:
    def __init__(self, cfg):
        nets, self.cfg = cfg["networks"], cfg["training"]
        self.noise_dim = nets["noise_dim"]
        self.target = RingMixture(**cfg["target"])
        self.G = Generator(self.noise_dim, nets["generator"])
        self.D = Discriminator(nets["discriminator"])
        betas = tuple(self.cfg["betas"])
        self.opt_g = torch.optim.Adam(self.G.parameters(), lr=self.cfg["lr_g"], betas=betas)
        self.opt_d = torch.optim.Adam(self.D.parameters(), lr=self.cfg["lr_d"], betas=betas)

    def noise(self, n):
        return torch.randn(n, self.noise_dim)

    def gradient_penalty(self, real):
        real = real.detach().requires_grad_(True)
        grad, = torch.autograd.grad(self.D(real).sum(), real, create_graph=True)
        return grad.pow(2).sum(dim=1).mean()

    def update_discriminator(self, real, fake):
        loss = F.softplus(-self.D(real)).mean() + F.softplus(self.D(fake)).mean()
        if self.cfg["r1_weight"] > 0:
            loss = loss + self.cfg["r1_weight"] * self.gradient_penalty(real)
        self.opt_d.zero_grad()
        loss.backward()
        self.opt_d.step()
        return loss.item()

    def update_generator(self, fake):
        loss = F.softplus(-self.D(fake)).mean()
        self.opt_g.zero_grad()
        loss.backward()
        self.opt_g.step()
        return loss.item()

    def train(self):
        n = self.cfg["batch_size"]
        for step in range(1, self.cfg["steps"] + 1):
            fake = self.G(self.noise(n))
            for _ in range(self.cfg["d_steps"]):
                d_loss = self.update_discriminator(self.target.sample(n), fake)
            g_loss = self.update_generator(fake)
            if step % self.cfg["report_every"] == 0:
                quality, modes = self.evaluate()
                print(f"step {step:5d}  D {d_loss:.3f}  G {g_loss:.3f}  on-mode {quality:.2f}  modes {modes}")

    @torch.no_grad()
    def evaluate(self, n=1000):
        return self.target.coverage(self.G(self.noise(n)))
