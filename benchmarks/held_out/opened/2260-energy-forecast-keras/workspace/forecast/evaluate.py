from pathlib import Path

import joblib
import numpy as np


def report(model, x, y, artifacts):
    """Mean absolute error in MW for each hour ahead."""
    scaler = joblib.load(Path(artifacts) / "target_scaler.joblib")
    pred = model.predict(x, verbose=0)
    horizon = pred.shape[1]
    pred_mw = scaler.inverse_transform(pred.reshape(-1, 1)).reshape(-1, horizon)
    true_mw = scaler.inverse_transform(y.reshape(-1, 1)).reshape(-1, horizon)
    mae = np.abs(pred_mw - true_mw).mean(axis=0)
    for h, err in enumerate(mae, start=1):
        print(f"t+{h}h  MAE {err:6.2f} MW")
