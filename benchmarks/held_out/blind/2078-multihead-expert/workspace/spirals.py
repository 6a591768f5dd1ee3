import lightning as L
import torch
from torch.utils.data import DataLoader, TensorDataset


def spirals(n, n_classes, seed, noise=0.12):
    g = torch.Generator().manual_seed(seed)
    y = torch.arange(n) % n_classes
    r = torch.rand(n, generator=g) * 0.9 + 0.1
    ang = 2 * torch.pi * y / n_classes + 2.5 * r + noise * torch.randn(n, generator=g)
    x = torch.stack([r * ang.cos(), r * ang.sin()], 1) * 2
    return TensorDataset(x, y)


class SpiralData(L.LightningDataModule):
    def __init__(self, n_classes=4, batch_size=64):
        super().__init__()
        self.n_classes, self.batch_size = n_classes, batch_size

    def setup(self, stage=None):
        self.sets = {s: spirals(n, self.n_classes, i) for i, (s, n) in
                     enumerate([("train", 1200), ("val", 300), ("test", 300)])}

    def _dl(self, split, shuffle=False):
        return DataLoader(self.sets[split], batch_size=self.batch_size, shuffle=shuffle)

    def train_dataloader(self):
        return self._dl("train", True)

    def val_dataloader(self):
        return self._dl("val")

    def test_dataloader(self):
        return self._dl("test")
