import lightning as L
import torch
from torch.utils.data import DataLoader, Dataset


class Listings(Dataset):
    """x: 12 numeric features, district id; targets: log price, days-on-market bucket."""

    def __init__(self, n, seed):
        g = torch.Generator().manual_seed(seed)
        self.num = torch.randn(n, 12, generator=g)
        self.district = torch.randint(0, 9, (n,), generator=g)
        gw = torch.Generator().manual_seed(99)
        w, d = torch.randn(12, generator=gw), torch.randn(9, generator=gw)
        self.price = self.num @ w * 0.3 + d[self.district] + 0.1 * torch.randn(n, generator=g)
        score = self.num[:, :3].sum(1) - self.price
        self.bucket = torch.bucketize(score, torch.tensor([-1.5, 0.0, 1.5]))

    def __len__(self):
        return len(self.price)

    def __getitem__(self, i):
        return {"num": self.num[i], "district": self.district[i],
                "price": self.price[i], "bucket": self.bucket[i]}


class ListingsModule(L.LightningDataModule):
    def __init__(self, n_train=1200, n_val=300, batch_size=64):
        super().__init__()
        self.save_hyperparameters()

    def setup(self, stage):
        self.train_set = Listings(self.hparams.n_train, seed=1)
        self.val_set = Listings(self.hparams.n_val, seed=2)

    def train_dataloader(self):
        return DataLoader(self.train_set, self.hparams.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.val_set, 256)
