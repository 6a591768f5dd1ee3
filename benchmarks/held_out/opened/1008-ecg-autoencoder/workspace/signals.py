import numpy as np
import torch
from torch.utils.data import DataLoader, TensorDataset


def read_beats(cfg):
    """Each line: patient id, then beat_len samples in mV."""
    table = np.genfromtxt(cfg.csv, delimiter=",", skip_header=1, dtype=np.float32)
    patients = table[:, 0].astype(int)
    beats = table[:, 1:1 + cfg.beat_len]
    return patients, beats


def normalise(beats):
    lo = beats.min(axis=1, keepdims=True)
    hi = beats.max(axis=1, keepdims=True)
    return 2 * (beats - lo) / (hi - lo + 1e-6) - 1


def get_loaders(cfg):
    patients, beats = read_beats(cfg)
    beats = normalise(beats)
    x = torch.from_numpy(beats).unsqueeze(1)
    is_val = torch.from_numpy(patients % cfg.val_every == 0)
    train = DataLoader(TensorDataset(x[~is_val]), batch_size=cfg.batch_size, shuffle=True)
    val = DataLoader(TensorDataset(x[is_val]), batch_size=cfg.batch_size)
    return train, val
