import torch.nn as nn


class BeatAutoencoder(nn.Module):
    def __init__(self, cfg, beat_len):
        super().__init__()
        pad = cfg.kernel // 2
        enc, c_in = [], 1
        for c in cfg.channels:
            enc += [nn.Conv1d(c_in, c, cfg.kernel, stride=2, padding=pad), nn.GELU()]
            c_in = c
        self.encoder = nn.Sequential(*enc)

        self.short = beat_len // 2 ** len(cfg.channels)
        self.c_last = c_in
        self.to_latent = nn.Linear(c_in * self.short, cfg.latent)
        self.from_latent = nn.Linear(cfg.latent, c_in * self.short)

        dec = []
        for c in list(reversed(cfg.channels))[1:] + [1]:
            dec += [
                nn.ConvTranspose1d(c_in, c, cfg.kernel, stride=2, padding=pad),
                nn.GELU(),
            ]
            c_in = c
        self.decoder = nn.Sequential(*dec[:-1], nn.Tanh())

    def encode(self, x):
        return self.to_latent(self.encoder(x).flatten(1))

    def decode(self, z):
        h = self.from_latent(z).view(-1, self.c_last, self.short)
        return self.decoder(h)

    def forward(self, x):
        z = self.encode(x)
        return self.decode(z), z
