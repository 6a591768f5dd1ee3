from pathlib import Path

import lightning as L
import numpy as np
import pandas as pd
import torch
from torch.utils.data import DataLoader, Dataset


class LeafCrops(Dataset):
    def __init__(self, frame: pd.DataFrame, raw_dir: Path, train: bool):
        self.frame = frame.reset_index(drop=True)
        self.raw_dir = Path(raw_dir)
        self.train = train

    def __len__(self):
        return len(self.frame)

    def __getitem__(self, i):
        row = self.frame.iloc[i]
        img = np.load(self.raw_dir / row["file"]).astype("float32") / 255.0
        x = torch.from_numpy(img).permute(2, 0, 1)
        if self.train and torch.rand(1).item() < 0.5:
            x = x.flip(-1)
        return x, int(row["label"])


class LeafData(L.LightningDataModule):
    def __init__(self, raw_dir, index, batch_size=16, val_fraction=0.2, seed=0):
        super().__init__()
        self.save_hyperparameters()

    def setup(self, stage=None):
        hp = self.hparams
        frame = pd.read_csv(hp.index)
        val = frame.groupby("class_name", group_keys=False).sample(
            frac=hp.val_fraction, random_state=hp.seed
        )
        train = frame.drop(val.index)
        self.train_set = LeafCrops(train, hp.raw_dir, train=True)
        self.val_set = LeafCrops(val, hp.raw_dir, train=False)

    def train_dataloader(self):
        return DataLoader(self.train_set, batch_size=self.hparams.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.val_set, batch_size=self.hparams.batch_size)
