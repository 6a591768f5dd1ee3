import lightning as L
import torch
from torch.utils.data import DataLoader, TensorDataset, random_split


class TagData(L.LightningDataModule):
    """Documents as dense vectors, each with several of a few tags."""

    def __init__(self, n, dim, tags, batch_size, seed):
        super().__init__()
        self.save_hyperparameters()

    def setup(self, stage=None):
        hp = self.hparams
        g = torch.Generator().manual_seed(hp.seed)
        x = torch.randn(hp.n, hp.dim, generator=g)
        w = torch.randn(hp.dim, hp.tags, generator=g)
        y = (x @ w + 0.5 * torch.randn(hp.n, hp.tags, generator=g) > 1.0).float()
        n_val = hp.n // 5
        self.train, self.val = random_split(TensorDataset(x, y), [hp.n - n_val, n_val], generator=g)

    def train_dataloader(self):
        return DataLoader(self.train, self.hparams.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.val, 256)
