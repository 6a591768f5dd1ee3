import torch
import torch.nn as nn
from torch.utils.data import TensorDataset

TONES = {"yes": (500, 900), "no": (900, 500), "up": (400, 1300), "down": (1300, 400)}


def synth(cfg, n, seed):
    """Each keyword is a short glide between two tones in noise."""
    g = torch.Generator().manual_seed(seed)
    n_samples = int(cfg.sample_rate * cfg.seconds)
    t = torch.arange(n_samples) / cfg.sample_rate
    waves, labels = [], []
    for i in range(n):
        k = i % len(cfg.keywords)
        lo, hi = TONES[cfg.keywords[k]]
        freq = torch.linspace(lo, hi, n_samples)
        phase = 2 * torch.pi * torch.cumsum(freq, 0) / cfg.sample_rate
        amp = torch.exp(-((t - cfg.seconds / 2) / 0.15) ** 2)
        waves.append(amp * torch.sin(phase) + 0.1 * torch.randn(n_samples, generator=g))
        labels.append(k)
    return TensorDataset(torch.stack(waves), torch.tensor(labels))


class KeywordNet(nn.Module):
    def __init__(self, frontend, cfg, n_keywords):
        super().__init__()
        self.frontend = frontend
        self.norm = nn.BatchNorm1d(cfg.in_bands)
        self.conv = nn.Sequential(
            nn.Conv1d(cfg.in_bands, cfg.channels, 3, padding=1), nn.ReLU(),
            nn.Conv1d(cfg.channels, cfg.channels, 3, padding=1, stride=2), nn.ReLU(),
        )
        self.rnn = nn.GRU(cfg.channels, cfg.channels, batch_first=True)
        self.drop = nn.Dropout(cfg.dropout)
        self.out = nn.Linear(cfg.channels, n_keywords)

    def forward(self, wave):
        x = self.norm(self.frontend(wave))
        x = self.conv(x).transpose(1, 2)
        _, h = self.rnn(x)
        return self.out(self.drop(h[-1]))
