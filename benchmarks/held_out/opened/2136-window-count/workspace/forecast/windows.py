import torch
from torch.utils.data import DataLoader, Dataset


class Windows(Dataset):
    """(history, horizon) pairs cut from one scaled frame."""

    def __init__(self, df, features, target, history, horizon, stride=1):
        self.x = torch.tensor(df[features].to_numpy(), dtype=torch.float32)
        self.y = torch.tensor(df[target].to_numpy(), dtype=torch.float32)
        self.history = history
        self.horizon = horizon
        self.stride = stride

    def __len__(self):
        span = len(self.x) - self.history
        return span // self.stride + 1

    def __getitem__(self, i):
        start = i * self.stride
        mid = start + self.history
        return self.x[start:mid], self.y[mid:mid + self.horizon]


def loaders(frames, cfg):
    result = []
    for k, frame in enumerate(frames):
        ds = Windows(frame, cfg["features"], cfg["target"], cfg["history"], cfg["horizon"], cfg["stride"])
        result.append(DataLoader(ds, batch_size=cfg["batch_size"], shuffle=(k == 0)))
    return result
