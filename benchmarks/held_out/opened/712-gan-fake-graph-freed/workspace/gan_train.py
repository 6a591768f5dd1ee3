import torch
import torch.nn as nn

from nets import D, G
from options import get_options
from ring import sample_real


class GANTrainer(object):
    def __init__(self, opt):
        self.opt = opt
        self.g = G(opt)
        self.d = D(opt)
        self.bce = nn.BCEWithLogitsLoss()
        self.opt_g = torch.optim.Adam(self.g.parameters(), lr=opt.lr_g, betas=tuple(opt.betas))
        self.opt_d = torch.optim.Adam(self.d.parameters(), lr=opt.lr_d, betas=tuple(opt.betas))

    def noise(self):
        return torch.randn(self.opt.batch_size, self.opt.z_dim)

    def d_step(self, real, c, fake):
        out_r = self.d(real, c)
        out_f = self.d(fake, c)
        loss = self.bce(out_r, torch.ones_like(out_r)) + self.bce(out_f, torch.zeros_like(out_f))
        self.opt_d.zero_grad()
        loss.backward()
        self.opt_d.step()
        return loss.item()

    def g_step(self, c, fake):
        out = self.d(fake, c)
        loss = self.bce(out, torch.ones_like(out))
        self.opt_g.zero_grad()
        loss.backward()
        self.opt_g.step()
        return loss.item()

    def train(self):
        for it in range(1, self.opt.iters + 1):
            real, c = sample_real(self.opt.batch_size, self.opt.n_modes)
            fake = self.g(self.noise(), c)
            ld = self.d_step(real, c, fake)
            lg = self.g_step(c, fake)
            if it % 50 == 0:
                print("[%d/%d] loss_d %.3f loss_g %.3f" % (it, self.opt.iters, ld, lg))


if __name__ == "__main__":
    opt = get_options()
    print(opt)
    torch.manual_seed(opt.seed)
    GANTrainer(opt).train()
