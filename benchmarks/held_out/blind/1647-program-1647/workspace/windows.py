from pathlib import Path

import numpy as np
import pandas as pd

CACHE = Path("prepared")


def read_series(csv):
    frame = pd.read_csv(csv, parse_dates=["time"]).set_index("time")
    angle = 2 * np.pi * frame.index.hour / 24
    frame["hour_sin"], frame["hour_cos"] = np.sin(angle), np.cos(angle)
    return frame


def slide(values, target, lookback, horizon):
    xs, ys = [], []
    for start in range(len(values) - lookback - horizon + 1):
        stop = start + lookback
        xs.append(values[start:stop])
        ys.append(target[stop:stop + horizon])
    return np.stack(xs).astype("float32"), np.stack(ys).astype("float32")


def build_windows(cfg):
    frame = read_series(cfg["csv"])
    cut = int(len(frame) * (1 - cfg["val_fraction"]))
    columns = frame[cfg["features"]]
    mean, std = columns[:cut].mean(), columns[:cut].std()
    scaled = (columns - mean) / std
    target = scaled[cfg["target"]].to_numpy()
    size = (cfg["lookback"], cfg["horizon"])
    x_train, y_train = slide(scaled.to_numpy()[:cut], target[:cut], *size)
    x_val, y_val = slide(scaled.to_numpy()[cut:], target[cut:], *size)
    return {
        "x_train": x_train, "y_train": y_train,
        "x_val": x_val, "y_val": y_val,
        "target_std": np.float32(std[cfg["target"]]),
    }


def load_windows(cfg):
    path = CACHE / f"{Path(cfg['csv']).stem}_{cfg['target']}_h{cfg['horizon']}.npz"
    if path.exists():
        print(f"using {path}")
        with np.load(path) as stored:
            return {k: stored[k] for k in stored.files}
    arrays = build_windows(cfg)
    CACHE.mkdir(exist_ok=True)
    np.savez_compressed(path, **arrays)
    print(f"wrote {path}")
    return arrays
