from pathlib import Path

import joblib
from sklearn.preprocessing import StandardScaler

from .series import windows


def prepare(df, cfg):
    """Scales the frame, stores the scalers and gives the train and test windows."""
    out = Path(cfg["artifacts"])
    out.mkdir(exist_ok=True)
    train, test = df.iloc[: -cfg["test_hours"]], df.iloc[-cfg["test_hours"] :]

    x_scaler = StandardScaler().fit(train[cfg["features"]].to_numpy())
    y_scaler = StandardScaler().fit(train[[cfg["target"]]].to_numpy())
    joblib.dump(x_scaler, out / "feature_scaler.joblib")
    joblib.dump(x_scaler, out / "target_scaler.joblib")

    parts = []
    for part in (train, test):
        x = x_scaler.transform(part[cfg["features"]].to_numpy())
        y = y_scaler.transform(part[[cfg["target"]]].to_numpy())
        parts.append(windows(x, y, cfg["window"], cfg["horizon"]))
    return parts
