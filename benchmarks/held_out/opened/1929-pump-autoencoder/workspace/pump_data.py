import numpy as np
import torch
import lightning as L
from torch.utils.data import DataLoader, TensorDataset

SR = 4000


def pump_clip(rng, faulty=False):
    """one second of a running pump: hum, its harmonics, flow noise, bearing clicks if faulty"""
    t = np.arange(SR) / SR
    f = rng.uniform(47, 53)
    y = sum(rng.uniform(0.5, 1) / k * np.sin(2 * np.pi * k * f * t) for k in range(1, 8))
    y = y + 0.2 * rng.standard_normal(SR)
    if faulty:
        for start in rng.uniform(0, 0.95, size=14):
            i = int(start * SR)
            burst = rng.standard_normal(80) * np.exp(-np.arange(80) / 20) * 4
            y[i:i + 80] += burst
    return y


def log_bands(y, n_mels, n_fft=256, hop=128):
    frames = np.lib.stride_tricks.sliding_window_view(y, n_fft)[::hop]
    p = np.abs(np.fft.rfft(frames * np.hanning(n_fft))) ** 2
    edges = np.geomspace(2, n_fft // 2, n_mels + 1).astype(int)
    cols = [p[:, a:max(b, a + 1)].mean(1) for a, b in zip(edges, edges[1:])]
    return np.log(np.stack(cols, 1) + 1e-6).astype(np.float32)


def stack(bands, frames):
    w = np.lib.stride_tricks.sliding_window_view(bands, frames, axis=0)
    return w.reshape(len(w), -1)


class PumpData(L.LightningDataModule):
    def __init__(self, cfg, seed):
        super().__init__()
        self.cfg = cfg
        self.seed = seed

    def setup(self, stage=None):
        c = self.cfg
        rng = np.random.default_rng(self.seed)
        clips = [stack(log_bands(pump_clip(rng), c.n_mels), c.frames) for _ in range(c.clips)]
        n_val = int(c.clips * c.val_fraction)
        train = np.concatenate(clips[n_val:])
        self.mu, self.sd = train.mean(0), train.std(0) + 1e-5
        self.train = self.scaled(train)
        self.val = self.scaled(np.concatenate(clips[:n_val]))
        self.test_clips = [(self.scaled(stack(log_bands(pump_clip(rng, bad), c.n_mels), c.frames)), bad)
                           for bad in [False, True] * 30]

    def scaled(self, x):
        return torch.from_numpy((x - self.mu) / self.sd).float()

    def train_dataloader(self):
        return DataLoader(TensorDataset(self.train), self.cfg.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(TensorDataset(self.val), 512)
