import dataclasses

import torch
from sklearn import datasets
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import QuantileTransformer
from torch.utils.data import DataLoader, TensorDataset


@dataclasses.dataclass
class Split:
    train: TensorDataset
    test: TensorDataset
    feature_names: list

    def loader(self, part, batch_size, **kw):
        return DataLoader(getattr(self, part), batch_size, shuffle=part == "train", **kw)


def load_builtin(name: str, test_size: float, seed: int) -> Split:
    bunch = getattr(datasets, f"load_{name}")()
    xa, xb, ya, yb = train_test_split(
        bunch.data, bunch.target, test_size=test_size, stratify=bunch.target, random_state=seed
    )
    qt = QuantileTransformer(n_quantiles=50, output_distribution="normal", random_state=seed).fit(xa)
    as_ds = lambda x, y: TensorDataset(torch.tensor(qt.transform(x), dtype=torch.float32), torch.tensor(y))
    return Split(as_ds(xa, ya), as_ds(xb, yb), list(bunch.feature_names))
