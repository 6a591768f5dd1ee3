import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import Dataset


def jitter(x, sigma=0.05):
    return x + sigma * torch.randn_like(x)


def scale(x, low=0.8, high=1.2):
    factor = torch.empty(x.shape[0], 1).uniform_(low, high)
    return x * factor


def time_crop(x, min_keep=72, max_keep=112):
    keep = torch.randint(min_keep, max_keep + 1, (1,)).item()
    start = torch.randint(0, x.shape[1] - keep + 1, (1,)).item()
    return x[:, start : start + keep]


def augment(x):
    return jitter(scale(time_crop(x)))


class TwoViews(Dataset):
    def __init__(self, path, subjects=None):
        archive = np.load(path)
        signals, activity = archive["signals"], archive["activity"]
        if subjects is not None:
            pick = np.isin(archive["subject"], subjects)
            signals, activity = signals[pick], activity[pick]
        mean = signals.mean(axis=(0, 2), keepdims=True)
        std = signals.std(axis=(0, 2), keepdims=True)
        self.signals = torch.from_numpy((signals - mean) / std)
        self.activity = torch.from_numpy(activity)

    def __len__(self):
        return len(self.signals)

    def __getitem__(self, i):
        x = self.signals[i]
        return augment(x), augment(x), self.activity[i]


class Encoder(nn.Module):
    def __init__(self, channels, width=32):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv1d(channels, width, 7, stride=2, padding=3),
            nn.BatchNorm1d(width),
            nn.ReLU(),
            nn.Conv1d(width, 2 * width, 5, stride=2, padding=2),
            nn.BatchNorm1d(2 * width),
            nn.ReLU(),
            nn.AdaptiveAvgPool1d(1),
            nn.Flatten(),
        )
        self.out_dim = 2 * width

    def forward(self, x):
        return self.features(x)


class SimCLR(nn.Module):
    def __init__(self, encoder, proj_dim=24):
        super().__init__()
        self.encoder = encoder
        self.projector = nn.Sequential(
            nn.Linear(encoder.out_dim, encoder.out_dim),
            nn.ReLU(),
            nn.Linear(encoder.out_dim, proj_dim),
        )

    def forward(self, x):
        return F.normalize(self.projector(self.encoder(x)), dim=1)


def nt_xent(za, zb, temperature):
    n = za.shape[0]
    z = torch.cat([za, zb], dim=0)
    sim = z @ z.t() / temperature
    sim.fill_diagonal_(float("-inf"))
    target = torch.cat([torch.arange(n, 2 * n), torch.arange(n)])
    return F.cross_entropy(sim, target)
