import numpy as np
import torch
from torch.utils.data import DataLoader, TensorDataset


def person_split(file, test_person):
    z = np.load(file)
    x = torch.from_numpy(z["accel"].astype(np.float32))
    y = torch.from_numpy(z["gesture"].astype(np.int64))
    held = torch.from_numpy(z["person"] == test_person)
    return TensorDataset(x[~held], y[~held]), TensorDataset(x[held], y[held])


def make_loaders(cfg, batch):
    train, test = person_split(cfg.file, cfg.test_person)
    return DataLoader(train, batch, shuffle=True), DataLoader(test, batch)
