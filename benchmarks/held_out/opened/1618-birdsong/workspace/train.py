import argparse
import json
import logging

import keras
from keras import layers

from birdsong import SPECIES
from features import load_split
from mel import frame_count

logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")


def build(cfg):
    m = cfg["model"]
    model = keras.Sequential(name="birdsong")
    model.add(keras.Input((frame_count(cfg["audio"]), cfg["audio"]["n_mels"])))
    model.add(layers.Reshape((frame_count(cfg["audio"]), cfg["audio"]["n_mels"], 1)))
    for f in m["filters"]:
        model.add(layers.Conv2D(f, 3, padding="same", activation="relu"))
        model.add(layers.MaxPooling2D(2))
    model.add(layers.TimeDistributed(layers.Flatten()))
    model.add(layers.GRU(m["units"]))
    model.add(layers.Dropout(m["dropout"]))
    model.add(layers.Dense(len(SPECIES), activation="softmax"))
    model.compile(
        optimizer=keras.optimizers.Adam(cfg["fit"]["lr"]),
        loss="sparse_categorical_crossentropy",
        metrics=["accuracy"],
    )
    return model


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--config", default="config.json")
    args = ap.parse_args()
    with open(args.config) as f:
        cfg = json.load(f)
    keras.utils.set_random_seed(cfg["seed"])

    x_train, y_train = load_split(cfg, "train")
    x_valid, y_valid = load_split(cfg, "valid")
    model = build(cfg)
    history = model.fit(
        x_train, y_train,
        validation_data=(x_valid, y_valid),
        epochs=cfg["fit"]["epochs"],
        batch_size=cfg["fit"]["batch_size"],
        verbose=2,
    )
    print("best val accuracy", max(history.history["val_accuracy"]))


if __name__ == "__main__":
    main()
