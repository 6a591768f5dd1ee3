import numpy as np
import pandas as pd
import torch

GESTURES = ["wave", "circle", "push", "shake"]


def read_sequences(path, steps, channels):
    """One row per recording: id, [label,] then steps*channels readings."""
    df = pd.read_csv(path)
    readings = df.filter(regex=r"^s\d+_").to_numpy(dtype=np.float32)
    x = torch.from_numpy(readings.reshape(len(df), steps, channels).copy())
    y = None
    if "label" in df.columns:
        y = torch.tensor([GESTURES.index(name) for name in df["label"]])
    return df["id"].tolist(), x, y
