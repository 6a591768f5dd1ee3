"""Remaining useful life of a turbine: MLP with checkpoint of the best weights."""
import argparse
import os

import keras
import numpy as np
import pandas as pd
from keras import layers
from keras.callbacks import CSVLogger, EarlyStopping, ModelCheckpoint, ReduceLROnPlateau


def load_data(path, val_frac=0.2, seed=0):
    df = pd.read_csv(path).sample(frac=1, random_state=seed)
    y = df.pop("rul").to_numpy("float32")
    X = df.to_numpy("float32")
    n_val = int(len(X) * val_frac)
    return (X[n_val:], y[n_val:]), (X[:n_val], y[:n_val])


def build_model(X_train, units):
    norm = layers.Normalization()
    norm.adapt(X_train)
    model = keras.Sequential([keras.Input((X_train.shape[1],)), norm])
    for u in units:
        model.add(layers.Dense(u, activation="relu"))
    model.add(layers.Dense(1))
    model.compile(optimizer=keras.optimizers.Adam(0.01), loss="mae", metrics=["mse"])
    return model


def get_callbacks(out_dir):
    return [
        EarlyStopping(monitor="val_loss", patience=10),
        ReduceLROnPlateau(monitor="val_loss", factor=0.5, patience=4),
        ModelCheckpoint(f"{out_dir}/best_weights.h5", monitor="val_loss", save_best_only=True, save_weights_only=True),
        CSVLogger(os.path.join(out_dir, "history.csv")),
    ]


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--data", default="turbine.csv")
    ap.add_argument("--out", default="runs")
    ap.add_argument("--epochs", type=int, default=15)
    ap.add_argument("--units", type=int, nargs="+", default=[32, 16])
    args = ap.parse_args()

    keras.utils.set_random_seed(0)
    os.makedirs(args.out, exist_ok=True)
    (X_train, y_train), (X_val, y_val) = load_data(args.data)
    model = build_model(X_train, args.units)
    callbacks = get_callbacks(args.out)
    model.fit(X_train, y_train, validation_data=(X_val, y_val), epochs=args.epochs,
              batch_size=32, callbacks=callbacks, verbose=0)
    model.load_weights(os.path.join(args.out, "best_weights.h5"))
    pred = model.predict(X_val, verbose=0).squeeze()
    print("val MAE: %.2f" % np.abs(pred - y_val).mean())


if __name__ == "__main__":
    main()
