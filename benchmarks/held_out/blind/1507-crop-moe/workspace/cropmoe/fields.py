import pandas as pd
import torch
from torch.utils.data import TensorDataset


class FieldTable:
    """Standardises the numbers and turns the categories into integer codes."""

    def __init__(self, cfg):
        self.cfg = cfg
        table = pd.read_csv(cfg.table)
        is_train = table["season"] <= cfg.last_train_season
        self.levels = {c: sorted(table[c].unique()) for c in cfg.categorical}
        train = table[is_train]
        self.mean, self.std = train[cfg.numeric].mean(), train[cfg.numeric].std()
        self.y_mean, self.y_std = train[cfg.target].mean(), train[cfg.target].std()
        self.train, self.valid = self._tensors(train), self._tensors(table[~is_train])

    def _tensors(self, part):
        num = ((part[self.cfg.numeric] - self.mean) / self.std).to_numpy("float32")
        cat = [pd.Index(self.levels[c]).get_indexer(part[c]) for c in self.cfg.categorical]
        y = ((part[self.cfg.target] - self.y_mean) / self.y_std).to_numpy("float32")
        return TensorDataset(
            torch.from_numpy(num), torch.stack([torch.as_tensor(c).long() for c in cat], 1), torch.from_numpy(y)
        )

    @property
    def cardinalities(self):
        return [len(v) for v in self.levels.values()]
