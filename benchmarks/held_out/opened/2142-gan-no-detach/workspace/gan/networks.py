import torch.nn as nn


class Generator(nn.Module):
    def __init__(self, latent, hidden, pixels=64):
        super().__init__()
        self.latent = latent
        self.net = nn.Sequential(
            nn.Linear(latent, hidden),
            nn.BatchNorm1d(hidden),
            nn.ReLU(),
            nn.Linear(hidden, hidden),
            nn.ReLU(),
            nn.Linear(hidden, pixels),
            nn.Sigmoid(),
        )

    def forward(self, z):
        return self.net(z)


class Discriminator(nn.Module):
    def __init__(self, hidden, slope, pixels=64):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(pixels, hidden),
            nn.LeakyReLU(slope),
            nn.Dropout(0.2),
            nn.Linear(hidden, hidden // 2),
            nn.LeakyReLU(slope),
            nn.Linear(hidden // 2, 1),
            nn.Sigmoid(),
        )

    def forward(self, x):
        return self.net(x).squeeze(1)
