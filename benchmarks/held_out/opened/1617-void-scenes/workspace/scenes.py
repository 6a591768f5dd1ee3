import lightning as L
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

CLASS_NAMES = ("background", "road", "building", "water")
VOID = 255


def draw_scene(rng, size):
    mask = np.zeros((size, size), np.int64)
    x0 = rng.integers(0, size - 10)
    mask[:, x0:x0 + 8] = 1
    for _ in range(rng.integers(1, 4)):
        y, x = rng.integers(0, size - 14, 2)
        mask[y:y + 12, x:x + 12] = 2
    yy, xx = np.mgrid[:size, :size]
    cy, cx = rng.integers(0, size, 2)
    mask[(yy - cy) ** 2 + (xx - cx) ** 2 < 80] = 3

    palette = np.array([[.3, .5, .2], [.5, .5, .5], [.6, .3, .2], [.1, .2, .6]], np.float32)
    image = palette[mask] + rng.normal(0, 0.08, (size, size, 3)).astype(np.float32)

    edge = np.zeros_like(mask, bool)
    edge[1:] |= mask[1:] != mask[:-1]
    edge[:, 1:] |= mask[:, 1:] != mask[:, :-1]
    mask[edge] = VOID
    return image.transpose(2, 0, 1).astype(np.float32), mask


class Scenes(Dataset):
    def __init__(self, n, size, seed):
        rng = np.random.default_rng(seed)
        self.items = [draw_scene(rng, size) for _ in range(n)]

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        image, mask = self.items[i]
        return torch.from_numpy(image), torch.from_numpy(mask)


class SceneData(L.LightningDataModule):
    def __init__(self, n_train=160, n_val=40, size=48, batch_size=16):
        super().__init__()
        self.save_hyperparameters()

    def setup(self, stage):
        h = self.hparams
        self.train_set = Scenes(h.n_train, h.size, seed=0)
        self.val_set = Scenes(h.n_val, h.size, seed=1)

    def train_dataloader(self):
        return DataLoader(self.train_set, self.hparams.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.val_set, self.hparams.batch_size)
