import numpy as np
import torch
from torch.utils.data import TensorDataset


def make_windows(frame, target, history, horizon, stride=1):
    values = frame.to_numpy(dtype=np.float32)
    y_col = frame.columns.get_loc(target)
    xs, ys = [], []
    for start in range(0, len(values) - history - horizon + 1, stride):
        end = start + history
        xs.append(values[start:end])
        ys.append(values[end : end + horizon, y_col])
    return TensorDataset(torch.from_numpy(np.stack(xs)), torch.from_numpy(np.stack(ys)))
