import torch
from torch.utils.data import DataLoader, Dataset


class Windows(Dataset):
    def __init__(self, series, context, horizon):
        self.series = torch.from_numpy(series)
        self.context = context
        self.horizon = horizon

    def __len__(self):
        return len(self.series) - self.context - self.horizon + 1

    def __getitem__(self, i):
        mid = i + self.context
        return self.series[i:mid].T, self.series[mid : mid + self.horizon, 0]


def split(series, cfg, batch_size):
    """The last val_hours are kept for validation; scale with train statistics."""
    train, val = series[: -cfg["val_hours"]], series[-cfg["val_hours"] :]
    mean, std = train.mean(0), train.std(0)
    context, horizon = cfg["context_hours"], cfg["horizon_hours"]
    train_set = Windows((train - mean) / std, context, horizon)
    val_set = Windows((val - mean) / std, context, horizon)
    return (
        DataLoader(train_set, batch_size=batch_size, shuffle=True),
        DataLoader(val_set, batch_size=128),
        float(std[0]),
    )
