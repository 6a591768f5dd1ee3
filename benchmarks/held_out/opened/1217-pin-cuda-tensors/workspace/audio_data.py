import math

import torch
from torch.utils.data import Dataset


class ToneDataset(Dataset):
    """Synthetic notes: the class is the pitch, returned as log-magnitude spectrograms."""

    def __init__(self, n, classes=12, rate=8000, seconds=0.5, device="cuda", seed=0):
        g = torch.Generator().manual_seed(seed)
        self.labels = torch.randint(0, classes, (n,), generator=g)
        self.detune = torch.rand(n, generator=g) * 0.02 - 0.01
        self.rate, self.length = rate, int(rate * seconds)
        self.device = device
        self.window = torch.hann_window(256)

    def __len__(self):
        return len(self.labels)

    def wave(self, i):
        freq = 220.0 * 2 ** (self.labels[i].item() / 12) * (1 + self.detune[i].item())
        t = torch.arange(self.length) / self.rate
        return torch.sin(2 * math.pi * freq * t) + 0.3 * torch.sin(4 * math.pi * freq * t) + 0.2 * torch.randn(len(t))

    def __getitem__(self, i):
        spec = torch.stft(self.wave(i), 256, 128, window=self.window, return_complex=True).abs()
        spec = spec.clamp(min=1e-5).log()
        return spec.unsqueeze(0).to(self.device), self.labels[i]
