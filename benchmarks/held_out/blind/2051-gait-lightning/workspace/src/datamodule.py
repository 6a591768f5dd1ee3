import lightning as L
import torch
from torch.utils.data import DataLoader, TensorDataset, random_split


def synth_gait(n, seq_len=40, channels=3, seed=0):
    """Accelerometer like windows of four activities."""
    g = torch.Generator().manual_seed(seed)
    y = torch.randint(0, 4, (n,), generator=g)
    t = torch.linspace(0, 4, seq_len)
    freq = torch.tensor([0.2, 0.9, 1.6, 2.6])[y]
    amp = torch.tensor([0.2, 0.8, 1.2, 0.7])[y]
    phase = torch.rand(n, channels, generator=g) * 6.28
    x = amp[:, None, None] * torch.sin(6.28 * freq[:, None, None] * t + phase[..., None])
    return x + 0.3 * torch.randn(n, channels, seq_len, generator=g), y


class GaitDataModule(L.LightningDataModule):
    def __init__(self, n=600, batch_size=32, val_frac=0.25, seed=0):
        super().__init__()
        self.save_hyperparameters()

    def setup(self, stage=None):
        x, y = synth_gait(self.hparams.n, seed=self.hparams.seed)
        n_val = int(len(x) * self.hparams.val_frac)
        gen = torch.Generator().manual_seed(self.hparams.seed)
        self.train_set, self.val_set = random_split(TensorDataset(x, y), [len(x) - n_val, n_val], generator=gen)

    def train_dataloader(self):
        return DataLoader(self.train_set, self.hparams.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.val_set, 128)
