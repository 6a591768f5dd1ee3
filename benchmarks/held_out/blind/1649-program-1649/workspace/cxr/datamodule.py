import lightning as L
import numpy as np
import torch
from torch.utils.data import DataLoader, TensorDataset

FINDINGS = ("effusion", "nodule", "cardiomegaly")


def render(rng, size, findings):
    yy, xx = np.mgrid[0:size, 0:size] / size
    img = 0.6 + 0.05 * rng.normal(size=(size, size))
    for cx in (0.3, 0.7):
        img[((xx - cx) / 0.17) ** 2 + ((yy - 0.5) / 0.35) ** 2 < 1] -= 0.4
    heart = 0.2 if findings[2] else 0.11
    img[((xx - 0.52) / heart) ** 2 + ((yy - 0.62) / 0.16) ** 2 < 1] += 0.3
    if findings[0]:
        img[(yy > 0.7) & (np.abs(xx - 0.3) < 0.17)] += 0.3
    if findings[1]:
        cy, cx = rng.uniform(0.3, 0.5), rng.choice([0.28, 0.72])
        img[(xx - cx) ** 2 + (yy - cy) ** 2 < 0.003] += 0.5
    return img


class ChestData(L.LightningDataModule):
    def __init__(self, size=48, n_train=240, n_val=60, n_test=60, batch_size=24, seed=0):
        super().__init__()
        self.save_hyperparameters()

    def _make(self, count, seed):
        rng = np.random.default_rng(seed)
        y = (rng.random((count, len(FINDINGS))) < 0.4).astype("float32")
        x = np.stack([render(rng, self.hparams.size, f) for f in y]).astype("float32")
        return TensorDataset(torch.from_numpy(x)[:, None], torch.from_numpy(y))

    def setup(self, stage):
        h = self.hparams
        if stage == "fit":
            self.train = self._make(h.n_train, h.seed)
            self.val = self._make(h.n_val, h.seed + 1)
        if stage == "test":
            self.test = self._make(h.n_test, h.seed + 2)

    def train_dataloader(self):
        return DataLoader(self.train, self.hparams.batch_size, shuffle=True, drop_last=True)

    def val_dataloader(self):
        return DataLoader(self.val, self.hparams.batch_size)

    def test_dataloader(self):
        return DataLoader(self.test, self.hparams.batch_size)
