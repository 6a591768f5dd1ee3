import lightning as L
import numpy as np
import torch
from torch.utils.data import DataLoader, TensorDataset


def fake_recording(rng, frames, bands):
    """Log-energies with bursts of 'speech'; returns features and frame labels."""
    labels = np.zeros(frames, dtype=np.float32)
    t = 0
    while t < frames:
        gap, burst = rng.integers(5, 20), rng.integers(5, 20)
        labels[t + gap : t + gap + burst] = 1
        t += gap + burst
    tilt = np.linspace(1.2, 0.2, bands)
    feats = labels[:, None] * tilt + rng.normal(0, 0.8, (frames, bands))
    return feats.astype(np.float32), labels


class VoiceActivityData(L.LightningDataModule):
    def __init__(self, recordings=160, frames=100, bands=16, batch_size=16, seed=0):
        super().__init__()
        self.save_hyperparameters()

    def setup(self, stage=None):
        hp = self.hparams
        rng = np.random.default_rng(hp.seed)
        items = [fake_recording(rng, hp.frames, hp.bands) for _ in range(hp.recordings)]
        feats = torch.from_numpy(np.stack([f for f, _ in items]))
        labels = torch.from_numpy(np.stack([l for _, l in items]))
        cut = int(0.8 * hp.recordings)
        self.train_set = TensorDataset(feats[:cut], labels[:cut])
        self.val_set = TensorDataset(feats[cut:], labels[cut:])

    def train_dataloader(self):
        return DataLoader(self.train_set, self.hparams.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.val_set, self.hparams.batch_size)
