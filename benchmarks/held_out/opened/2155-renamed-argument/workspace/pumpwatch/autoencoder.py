from torch import nn


class ConvAE(nn.Module):
    def __init__(self, channels, width, code):
        super().__init__()
        quarter = width // 4
        self.encoder = nn.Sequential(
            nn.Conv1d(channels, 16, 4, stride=2, padding=1),
            nn.GELU(),
            nn.Conv1d(16, 16, 4, stride=2, padding=1),
            nn.GELU(),
            nn.Flatten(),
            nn.Linear(16 * quarter, code),
        )
        self.decoder = nn.Sequential(
            nn.Linear(code, 16 * quarter),
            nn.Unflatten(1, (16, quarter)),
            nn.GELU(),
            nn.ConvTranspose1d(16, 16, 4, stride=2, padding=1),
            nn.GELU(),
            nn.ConvTranspose1d(16, channels, 4, stride=2, padding=1),
        )

    def forward(self, x):
        return self.decoder(self.encoder(x))
