import torch
import torch.nn.functional as F

from networks import Critic, Generator


class WaveGAN:
    def __init__(self, opt):
        self.opt = opt
        self.G = Generator(opt.z_dim, opt.ngf, opt.length)
        self.D = Critic(opt.ndf, opt.length)
        self.opt_g = torch.optim.Adam(self.G.parameters(), lr=opt.lr, betas=(0.5, 0.9))
        self.opt_d = torch.optim.Adam(self.D.parameters(), lr=opt.lr, betas=(0.5, 0.9))

    def set_input(self, real):
        """One batch of real waves, and fakes of the same size for this iteration."""
        self.real = real
        self.fake = self.G(torch.randn(len(real), self.opt.z_dim))

    def backward_d(self):
        real_score = self.D(self.real)
        fake_score = self.D(self.fake)
        loss = F.relu(1 - real_score).mean() + F.relu(1 + fake_score).mean()
        loss.backward()
        return loss.item()

    def backward_g(self):
        loss = -self.D(self.fake).mean()
        loss.backward()
        return loss.item()

    def optimize(self):
        for _ in range(self.opt.n_critic):
            self.opt_d.zero_grad()
            d_loss = self.backward_d()
            self.opt_d.step()
        self.opt_g.zero_grad()
        g_loss = self.backward_g()
        self.opt_g.step()
        return d_loss, g_loss
