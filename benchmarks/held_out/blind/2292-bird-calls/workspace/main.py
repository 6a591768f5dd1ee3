import json
from pathlib import Path

import keras

from classifier import build
from field import campaign
from segments import make_dataset


def main():
    params = json.loads(Path("params.json").read_text())
    keras.utils.set_random_seed(10)
    train = list(campaign(params, seed=1))
    valid = list(campaign(params, seed=2))
    print(len(train), "training recordings,", len(valid), "validation recordings")

    train_ds, shape = make_dataset(train, params, shuffle=True)
    valid_ds, _ = make_dataset(valid, params)
    model = build(shape, len(params["species"]))
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    print("input", shape, "parameters", model.count_params())
    model.fit(train_ds, validation_data=valid_ds, epochs=params["epochs"], verbose=2)


if __name__ == "__main__":
    main()
