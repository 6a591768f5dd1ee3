import numpy as np
import torch
from torch.utils.data import DataLoader, TensorDataset, random_split

SYMBOLS = ["N", "V", "S", "F"]


def _beat(kind, n, leads, rng):
    t = np.linspace(-1, 1, n)
    width = [0.05, 0.18, 0.05, 0.1][kind]
    qrs = np.exp(-((t / width) ** 2))
    p = 0.0 if kind == 1 else 0.15 * np.exp(-(((t + 0.4) / 0.08) ** 2))
    tw = 0.3 * np.exp(-(((t - 0.5) / 0.15) ** 2))
    x = np.stack([qrs + p + tw, -0.6 * qrs + tw][:leads])
    return x + 0.05 * rng.standard_normal(x.shape)


def make_beats(cfg, n=400):
    rng = np.random.default_rng(cfg.seed)
    y = rng.choice(len(SYMBOLS), size=n, p=[0.6, 0.2, 0.12, 0.08])
    x = np.stack([_beat(k, cfg.window, cfg.n_leads, rng) for k in y]).astype("float32")
    pre = np.where(y == 2, 0.55, 0.8) + 0.05 * rng.standard_normal(n)
    post = np.where(y == 1, 1.1, 0.8) + 0.05 * rng.standard_normal(n)
    rr = np.stack([pre, post], 1).astype("float32")
    return torch.from_numpy(x), torch.from_numpy(rr), torch.from_numpy(y)


def loaders(cfg):
    ds = TensorDataset(*make_beats(cfg))
    n_val = len(ds) // 5
    g = torch.Generator().manual_seed(cfg.seed)
    tr, va = random_split(ds, [len(ds) - n_val, n_val], generator=g)
    return (
        DataLoader(tr, cfg.batch_size, shuffle=True, generator=g),
        DataLoader(va, cfg.batch_size),
    )
