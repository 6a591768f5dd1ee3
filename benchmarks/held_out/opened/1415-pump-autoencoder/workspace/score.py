"""Threshold from healthy runs, then AUC on healthy + faulty."""
import os
import sys

os.environ.setdefault("KERAS_BACKEND", "jax")

import keras
import numpy as np
from sklearn.metrics import roc_auc_score

import pump.layers  # noqa: F401  (registers the custom layers)
from pump.data import runs


def errors(model, x):
    std_layer = model.get_layer("standardize")
    z = keras.ops.convert_to_numpy(std_layer(x))
    rec = model.predict(x, verbose=0)
    return ((z - rec) ** 2).mean(axis=2).max(axis=1)


def main(path):
    model = keras.models.load_model(path)
    length = model.input_shape[1]
    healthy = errors(model, runs(100, length, False, seed=10))
    faulty = errors(model, runs(100, length, True, seed=11))
    thr = np.quantile(healthy, 0.95)
    y = np.r_[np.zeros(100), np.ones(100)]
    print(f"threshold {thr:.3f}  detected {np.mean(faulty > thr):.1%}  AUC {roc_auc_score(y, np.r_[healthy, faulty]):.3f}")


if __name__ == "__main__":
    main(sys.argv[1])
