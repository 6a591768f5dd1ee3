import torch
import torch.nn as nn


class G(nn.Module):
    def __init__(self, opt):
        super().__init__()
        self.main = nn.Sequential(
            nn.Linear(opt.z_dim + opt.n_modes, opt.hidden), nn.ReLU(inplace=True),
            nn.Linear(opt.hidden, opt.hidden), nn.ReLU(inplace=True),
            nn.Linear(opt.hidden, 2),
        )

    def forward(self, z, c):
        return self.main(torch.cat([z, c], 1))


class D(nn.Module):
    def __init__(self, opt):
        super().__init__()
        self.main = nn.Sequential(
            nn.Linear(2 + opt.n_modes, opt.hidden), nn.LeakyReLU(0.2),
            nn.Linear(opt.hidden, opt.hidden), nn.LeakyReLU(0.2),
            nn.Linear(opt.hidden, 1),
        )

    def forward(self, x, c):
        return self.main(torch.cat([x, c], 1)).view(-1)
