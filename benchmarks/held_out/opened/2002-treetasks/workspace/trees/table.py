from dataclasses import dataclass

import numpy as np
import pandas as pd
import torch
from torch.utils.data import Dataset


@dataclass
class Normaliser:
    mean: np.ndarray
    std: np.ndarray

    def __call__(self, x):
        return (x - self.mean) / self.std

    def undo(self, x):
        return x * self.std + self.mean


def encode_target(column, spec):
    kind = spec["kind"]
    if kind == "classification":
        lookup = {name: i for i, name in enumerate(spec["classes"])}
        return np.array([lookup[v] for v in column], dtype=np.int64)
    if kind in ("regression", "binary"):
        return column.to_numpy(dtype=np.float32)
    raise ValueError(f"unknown task kind {kind!r}")


class TreeTable(Dataset):
    def __init__(self, frame, cfg, stats=None):
        self.cfg = cfg
        x = frame[cfg["features"]].to_numpy(dtype=np.float32)
        self.targets = {name: encode_target(frame[name], spec) for name, spec in cfg["tasks"].items()}
        if stats is None:
            stats = {"x": Normaliser(x.mean(0), x.std(0))}
            for name, spec in cfg["tasks"].items():
                if spec["kind"] == "regression":
                    t = self.targets[name]
                    stats[name] = Normaliser(t.mean(), t.std())
        self.stats = stats
        self.x = torch.from_numpy(stats["x"](x))
        for name in self.targets:
            if name in stats:
                self.targets[name] = stats[name](self.targets[name])
            self.targets[name] = torch.from_numpy(self.targets[name])

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i], {name: t[i] for name, t in self.targets.items()}


def load_split(cfg):
    frame = pd.read_csv(cfg["table"]).dropna(subset=cfg["features"])
    frame = frame.sample(frac=1.0, random_state=cfg["seed"])
    cut = int(len(frame) * (1 - cfg["test_fraction"]))
    train = TreeTable(frame.iloc[:cut], cfg)
    return train, TreeTable(frame.iloc[cut:], cfg, train.stats)
