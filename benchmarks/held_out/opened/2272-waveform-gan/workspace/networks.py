import torch.nn as nn


class Generator(nn.Module):
    def __init__(self, z_dim, ngf, length):
        super().__init__()
        self.ngf, self.start = ngf, length // 8
        self.fc = nn.Linear(z_dim, 4 * ngf * self.start)
        self.net = nn.Sequential(
            nn.BatchNorm1d(4 * ngf), nn.ReLU(),
            nn.ConvTranspose1d(4 * ngf, 2 * ngf, 4, 2, 1), nn.BatchNorm1d(2 * ngf), nn.ReLU(),
            nn.ConvTranspose1d(2 * ngf, ngf, 4, 2, 1), nn.BatchNorm1d(ngf), nn.ReLU(),
            nn.ConvTranspose1d(ngf, 1, 4, 2, 1), nn.Tanh(),
        )

    def forward(self, z):
        return self.net(self.fc(z).view(len(z), 4 * self.ngf, self.start))


class Critic(nn.Module):
    def __init__(self, ndf, length):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv1d(1, ndf, 4, 2, 1), nn.LeakyReLU(0.2),
            nn.Conv1d(ndf, 2 * ndf, 4, 2, 1), nn.LeakyReLU(0.2),
            nn.Conv1d(2 * ndf, 4 * ndf, 4, 2, 1), nn.LeakyReLU(0.2),
            nn.Flatten(),
            nn.Linear(4 * ndf * (length // 8), 1),
        )

    def forward(self, x):
        return self.net(x).squeeze(1)
