import numpy as np
import torch
from torch import nn
from torch.utils.data import TensorDataset


def load_splits(cfg, seed):
    with np.load(cfg.path) as z:
        x = torch.tensor(z["signal"].astype("float32") * cfg.scale)
        y = torch.tensor(z["fault"].astype("int64"))
        names = [str(n) for n in z["names"]]
    x = (x - x.mean(1, keepdim=True)).unsqueeze(1)
    perm = torch.randperm(len(x), generator=torch.Generator().manual_seed(seed))
    n_va, n_te = int(cfg.valid_frac * len(x)), int(cfg.test_frac * len(x))
    parts = {"valid": perm[:n_va], "test": perm[n_va:n_va + n_te], "train": perm[n_va + n_te:]}
    return {k: TensorDataset(x[i], y[i]) for k, i in parts.items()}, names


class FaultCNN(nn.Module):
    def __init__(self, channels, kernel, stride, dropout, n_classes):
        super().__init__()
        blocks, c_in = [], 1
        for c in channels:
            blocks += [
                nn.Conv1d(c_in, c, kernel, stride=stride, padding=kernel // 2),
                nn.BatchNorm1d(c),
                nn.ReLU(),
            ]
            c_in = c
        self.features = nn.Sequential(*blocks)
        self.pool = nn.AdaptiveMaxPool1d(4)
        self.head = nn.Sequential(nn.Flatten(), nn.Dropout(dropout), nn.Linear(4 * c_in, n_classes))

    def forward(self, x):
        return self.head(self.pool(self.features(x)))
