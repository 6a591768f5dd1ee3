import tomllib

import keras

from cellseg.losses import bce_dice, dice
from cellseg.pipeline import datasets
from cellseg.synth import make_images
from cellseg.unet import build_unet


def main():
    with open("experiment.toml", "rb") as fh:
        cfg = tomllib.load(fh)
    keras.utils.set_random_seed(cfg["data"]["seed"])

    images, masks = make_images(**cfg["data"])
    train, val = datasets(images, masks, cfg["train"]["batch_size"], cfg["train"]["val_split"])

    model = build_unet(cfg["data"]["image_size"], **cfg["model"])
    print(f"{model.name}: {model.count_params():,} parameters")
    model.compile(keras.optimizers.Adam(cfg["train"]["learning_rate"]), loss=bce_dice, metrics=[dice])
    history = model.fit(train, validation_data=val, epochs=cfg["train"]["epochs"], verbose=2)
    print("best validation dice", max(history.history["val_dice"]))


if __name__ == "__main__":
    main()
