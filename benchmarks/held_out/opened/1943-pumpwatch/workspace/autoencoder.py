import torch.nn as nn


class WindowAE(nn.Module):
    def __init__(self, channels, window, latent):
        super().__init__()
        self.shape = (channels, window)
        n = channels * window
        self.enc = nn.Sequential(nn.Flatten(), nn.Linear(n, 48), nn.GELU(), nn.Linear(48, latent))
        self.dec = nn.Sequential(nn.Linear(latent, 48), nn.GELU(), nn.Linear(48, n),
                                 nn.Unflatten(1, self.shape))

    def forward(self, x):
        return self.dec(self.enc(x))

    def errors(self, x):
        return (self(x) - x).pow(2).mean((1, 2))
