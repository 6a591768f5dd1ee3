import torch
import torch.nn as nn


class ConvEncoder(nn.Module):
    def __init__(self, size, channels, latent):
        super().__init__()
        c1, c2 = channels
        self.conv = nn.Sequential(
            nn.Conv2d(1, c1, 3, stride=2, padding=1), nn.ReLU(),
            nn.Conv2d(c1, c2, 3, stride=2, padding=1), nn.ReLU(),
            nn.Flatten(),
        )
        flat = c2 * (size // 4) ** 2
        self.mu = nn.Linear(flat, latent)
        self.logvar = nn.Linear(flat, latent)

    def forward(self, x):
        h = self.conv(x)
        return self.mu(h), self.logvar(h)


class ConvDecoder(nn.Module):
    def __init__(self, size, channels, latent):
        super().__init__()
        c1, c2 = channels
        self.shape = (c2, size // 4, size // 4)
        self.fc = nn.Linear(latent, c2 * (size // 4) ** 2)
        self.deconv = nn.Sequential(
            nn.ReLU(),
            nn.ConvTranspose2d(c2, c1, 4, stride=2, padding=1),
            nn.ReLU(),
            nn.ConvTranspose2d(c1, 1, 4, stride=2, padding=1),
        )

    def forward(self, z):
        return self.deconv(self.fc(z).view(-1, *self.shape))


class VAE(nn.Module):
    def __init__(self, size, channels, latent):
        super().__init__()
        self.latent = latent
        self.encoder = ConvEncoder(size, channels, latent)
        self.decoder = ConvDecoder(size, channels, latent)

    def forward(self, x):
        mu, logvar = self.encoder(x)
        z = mu + torch.randn_like(mu) * torch.exp(0.5 * logvar)
        return self.decoder(z), mu, logvar

    @torch.no_grad()
    def sample(self, n):
        self.eval()
        return self.decoder(torch.randn(n, self.latent))
