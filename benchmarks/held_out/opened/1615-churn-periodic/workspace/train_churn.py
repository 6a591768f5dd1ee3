import argparse
from pathlib import Path

import keras
import numpy as np

from accounts import NUMERIC, make_accounts
from layers import ColumnwiseDense, PeriodicFeatures


def build(norm, n_freq, width):
    inputs = keras.Input((len(NUMERIC),), name="numeric")
    x = norm(inputs)
    x = PeriodicFeatures(n_freq=n_freq, sigma=0.3, name="periodic")(x)
    x = ColumnwiseDense(width, name="columns")(x)
    x = keras.layers.Flatten()(x)
    x = keras.layers.Dense(64, activation="relu")(x)
    x = keras.layers.Dropout(0.2)(x)
    outputs = keras.layers.Dense(1, activation="sigmoid")(x)
    return keras.Model(inputs, outputs, name="churn")


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--out", type=Path, required=True)
    ap.add_argument("--epochs", type=int, default=5)
    ap.add_argument("--n-freq", type=int, default=12)
    ap.add_argument("--width", type=int, default=8)
    args = ap.parse_args()
    keras.utils.set_random_seed(11)

    frame = make_accounts(4000, seed=11)
    x, y = frame[NUMERIC].to_numpy(np.float32), frame["churned"].to_numpy(np.float32)
    norm = keras.layers.Normalization(name="norm")
    norm.adapt(x)
    model = build(norm, args.n_freq, args.width)
    model.compile("adam", loss="binary_crossentropy", metrics=[keras.metrics.AUC(name="auc")])
    model.fit(x, y, validation_split=0.2, epochs=args.epochs, batch_size=128, verbose=2)
    args.out.parent.mkdir(parents=True, exist_ok=True)
    model.save(args.out)
    print("saved", args.out)


if __name__ == "__main__":
    main()
