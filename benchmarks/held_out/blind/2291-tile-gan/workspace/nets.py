from torch import nn


class Generator(nn.Module):
    def __init__(self, latent=16, width=16):
        super().__init__()
        self.fc = nn.Linear(latent, 2 * width * 4 * 4)
        self.up = nn.Sequential(
            nn.BatchNorm2d(2 * width), nn.ReLU(),
            nn.ConvTranspose2d(2 * width, width, 4, 2, 1), nn.BatchNorm2d(width), nn.ReLU(),
            nn.ConvTranspose2d(width, 1, 4, 2, 1), nn.Tanh())
        self.width = width

    def forward(self, z):
        return self.up(self.fc(z).view(-1, 2 * self.width, 4, 4))


class Discriminator(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv2d(1, width, 4, 2, 1), nn.LeakyReLU(0.2),
            nn.Conv2d(width, 2 * width, 4, 2, 1), nn.LeakyReLU(0.2),
            nn.Flatten(), nn.Linear(2 * width * 16, 1))

    def forward(self, x):
        return self.net(x).squeeze(1)
