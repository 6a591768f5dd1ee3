"""Label a recording window by window with a saved model."""
import sys

import joblib
import numpy as np

from har_lib.features import extract, windows
from har_lib.io import read_imu


def smooth(labels, k=3):
    out = []
    for i in range(len(labels)):
        part = labels[max(0, i - k // 2):i + k // 2 + 1]
        values, counts = np.unique(part, return_counts=True)
        out.append(values[counts.argmax()])
    return out


def main(model_path, csv_path):
    bundle = joblib.load(model_path)
    signal = read_imu(csv_path)
    feats = [extract(w, bundle["fs"]) for w in windows(signal, bundle["window"])]
    labels = bundle["pipeline"].predict(np.stack(feats))
    for i, name in enumerate(smooth(labels)):
        t = i * bundle["window"] / 2 / bundle["fs"]
        print(f"{t:6.1f} s  {name}")


if __name__ == "__main__":
    main(*sys.argv[1:3])
