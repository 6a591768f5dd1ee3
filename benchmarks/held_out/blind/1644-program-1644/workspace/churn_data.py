import numpy as np
import torch
from torch.utils.data import TensorDataset


def churn_frame(n, seed):
    rng = np.random.default_rng(seed)
    tenure = rng.exponential(24, n)
    spend = rng.gamma(2.0, 30.0, n)
    calls = rng.poisson(1.5, n)
    plan = rng.integers(0, 4, n)
    noise = rng.normal(0, 1.5, n)
    logit = 1.2 - 0.06 * tenure + 0.6 * calls - 0.01 * spend + 0.3 * (plan == 2) + noise
    x = np.column_stack([np.log1p(tenure), np.log1p(spend), calls, np.eye(4)[plan]])
    return x.astype("float32"), (logit > 0).astype("float32")


def splits(n_train, n_val, seed):
    x, y = churn_frame(n_train + n_val, seed)
    mean, std = x[:n_train].mean(0), x[:n_train].std(0) + 1e-6
    x = (x - mean) / std
    x, y = torch.from_numpy(x), torch.from_numpy(y)
    return TensorDataset(x[:n_train], y[:n_train]), TensorDataset(x[n_train:], y[n_train:])
