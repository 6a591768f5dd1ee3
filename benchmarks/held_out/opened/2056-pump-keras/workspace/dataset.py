import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

import config as cfg


def load():
    df = pd.read_csv(cfg.CSV_PATH)
    x = pd.concat(
        [df[cfg.NUMERIC].astype("float32"), pd.get_dummies(df[cfg.CATEGORICAL], dtype="float32")], axis=1
    )
    y = df[cfg.LABEL].to_numpy(dtype="float32")
    x_tr, x_va, y_tr, y_va = train_test_split(
        x, y, test_size=cfg.VAL_FRACTION, random_state=cfg.SEED, stratify=y
    )
    mean, std = x_tr[cfg.NUMERIC].mean(), x_tr[cfg.NUMERIC].std()
    for part in (x_tr, x_va):
        part.loc[:, cfg.NUMERIC] = (part[cfg.NUMERIC] - mean) / std
    return (x_tr.to_numpy(dtype="float32"), y_tr), (x_va.to_numpy(dtype="float32"), y_va)
