import dataclasses

import numpy as np
import pandas as pd


@dataclasses.dataclass
class Table:
    x: np.ndarray
    y: np.ndarray

    def __len__(self):
        return len(self.y)


@dataclasses.dataclass
class Scaler:
    loc: np.ndarray
    scale: np.ndarray

    @classmethod
    def of(cls, a):
        return cls(a.mean(0), a.std(0) + 1e-8)

    def __call__(self, a):
        return ((a - self.loc) / self.scale).astype(np.float32)


def load(cfg, seed):
    df = pd.read_csv(cfg["table"])
    x = df[cfg["inputs"]].astype(float)
    for col in cfg.get("log_inputs", ()):
        x[col] = np.log1p(x[col])
    order = np.random.default_rng(seed).permutation(len(df))
    n_test = int(len(df) * cfg["test_fraction"])
    test, train = order[:n_test], order[n_test:]
    x, y = x.to_numpy(), df[cfg["target"]].to_numpy()
    sx, sy = Scaler.of(x[train]), Scaler.of(y[train])
    return Table(sx(x[train]), sy(y[train])), Table(sx(x[test]), sy(y[test])), sy
