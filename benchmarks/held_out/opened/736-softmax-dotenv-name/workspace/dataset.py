import numpy as np
import pandas as pd

import settings


def load(name):
    df = pd.read_csv(f"{settings.DATA_DIR}/{name}")
    y = df.pop("species").to_numpy()
    return df.to_numpy(dtype=float), y


def standardize(train, other):
    mu, sd = train.mean(0), train.std(0)
    return (train - mu) / sd, (other - mu) / sd


def shuffle(X, y, rng):
    order = rng.permutation(len(X))
    return X[order], y[order]


def one_hot(y, k):
    return np.eye(k)[y]
