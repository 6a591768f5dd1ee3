import json
import os
import pathlib
import sys
from functools import reduce

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import keras
import tensorflow as tf

from forecast import Standardizer, build_forecaster, plant_windows, split_files


def main(settings="settings.json"):
    cfg = json.loads(pathlib.Path(settings).read_text())
    keras.utils.set_random_seed(0)
    files = split_files(cfg["files"])
    print(len(files), "plants:", ", ".join(pathlib.Path(f).stem for f in files))

    # the scale comes from the first plant
    scaler = Standardizer(len(cfg["inputs"]))
    identity = lambda row: row
    firsts = plant_windows(files[0], cfg, identity, "train").map(lambda x, _: x[-1]).batch(256)
    for batch in firsts:
        scaler.update(batch)
    print("mean", scaler.mean.round(1), "std", scaler.std.round(1))

    def combined(part):
        parts = [plant_windows(f, cfg, scaler, part) for f in files]
        return reduce(lambda a, b: a.concatenate(b), parts)

    train = combined("train").shuffle(2000, seed=1).batch(cfg["batch_size"]).prefetch(tf.data.AUTOTUNE)
    valid = combined("valid").batch(cfg["batch_size"]).cache()

    model = build_forecaster(cfg)
    model.fit(
        train,
        validation_data=valid,
        epochs=cfg["epochs"],
        callbacks=[keras.callbacks.ReduceLROnPlateau(patience=1, factor=0.5)],
        verbose=2,
    )

    naive = keras.metrics.MeanAbsoluteError()
    for x, y in valid:
        naive.update_state(y, tf.repeat(x[:, -1, :1], cfg["horizon"], axis=1))
    _, mae = model.evaluate(valid, verbose=0)
    kw = scaler.std[cfg["inputs"].index(cfg["target"])]
    print(f"valid mae {mae * kw:.2f} kW, persistence {float(naive.result()) * kw:.2f} kW")


if __name__ == "__main__":
    main(*sys.argv[1:])
