"""Score new firings with a saved model: python check.py MODEL"""
import sys

import keras
import numpy as np

import kiln.layers  # registers the custom layers
from kiln.curves import batch_of_curves


def peak_error(model, x):
    err = (model.predict(x, verbose=0) - x)[..., 0] ** 2
    smooth = np.apply_along_axis(np.convolve, 1, err, np.ones(5) / 5, mode="same")
    return smooth.max(axis=1)


def main(path):
    model = keras.models.load_model(path)
    good, _ = batch_of_curves(100, seed=2)
    level = np.quantile(peak_error(model, good), 0.98)
    new, bad = batch_of_curves(60, seed=3, fault_rate=0.2)
    flagged = peak_error(model, new) > level
    print(f"{flagged.sum()} of {len(new)} firings flagged, {np.sum(flagged & bad)} of {bad.sum()} faulty ones found")


if __name__ == "__main__":
    main(sys.argv[1])
