import torch.nn as nn


class SongNet(nn.Module):
    def __init__(self, n_bands, n_species, channels, dropout):
        super().__init__()
        self.norm = nn.InstanceNorm1d(1)
        self.conv = nn.Sequential(
            nn.Conv1d(n_bands, channels, 5, padding=2), nn.BatchNorm1d(channels), nn.ReLU(),
            nn.Conv1d(channels, channels, 3, padding=1), nn.BatchNorm1d(channels), nn.ReLU(),
            nn.AdaptiveAvgPool1d(1), nn.Flatten(),
        )
        self.head = nn.Sequential(nn.Dropout(dropout), nn.Linear(channels, n_species))

    def forward(self, x):
        flat = self.norm(x.flatten(1)[:, None])
        return self.head(self.conv(flat.view_as(x)))
