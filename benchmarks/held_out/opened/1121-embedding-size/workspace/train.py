"""python train.py --config configs/store_sales.yaml"""
import argparse
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import keras
import numpy as np
import yaml

from features import read_frames, to_dataset
from model import build_model


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--config", default="configs/store_sales.yaml")
    ap.add_argument("--epochs", type=int)
    args = ap.parse_args()
    with open(args.config) as fh:
        cfg = yaml.safe_load(fh)
    if args.epochs:
        cfg["train"]["epochs"] = args.epochs
    keras.utils.set_random_seed(cfg["seed"])

    train_df, valid_df = read_frames(cfg["data"])
    print(f"train {len(train_df)} rows, valid {len(valid_df)} rows, "
          f"{train_df['store_id'].nunique()} stores")

    norm = keras.layers.Normalization(name="norm")
    norm.adapt(train_df[cfg["features"]["numeric"]].to_numpy(np.float32))

    model = build_model(cfg, norm)
    print(f"{model.name}: {model.count_params():,} parameters")
    model.compile(
        optimizer=keras.optimizers.Adam(cfg["train"]["lr"]),
        loss=keras.losses.Huber(),
        metrics=[keras.metrics.MeanAbsoluteError(name="mae")],
        jit_compile=False,
    )
    history = model.fit(
        to_dataset(train_df, cfg, training=True),
        validation_data=to_dataset(valid_df, cfg, training=False),
        epochs=cfg["train"]["epochs"],
        callbacks=[keras.callbacks.EarlyStopping(patience=cfg["train"]["patience"])],
        verbose=2,
    )

    pred = model.predict(to_dataset(valid_df, cfg, training=False), verbose=0)
    if cfg["train"]["log_target"]:
        pred = np.expm1(pred)
    err = np.abs(pred - valid_df["units"].to_numpy())
    by_store = valid_df.assign(err=err).groupby("store_id")["err"].mean()
    print(f"valid mae (units): {err.mean():.2f}; best val_loss {min(history.history['val_loss']):.4f}")
    print("worst stores:", by_store.nlargest(3).round(2).to_dict())


if __name__ == "__main__":
    main()
