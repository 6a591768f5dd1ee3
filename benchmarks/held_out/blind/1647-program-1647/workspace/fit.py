import json
import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"

import keras

from tcn import build_model
from windows import load_windows


def main(path):
    with open(path) as f:
        cfg = json.load(f)
    keras.utils.set_random_seed(0)
    w = load_windows(cfg)
    print(f"{len(w['x_train'])} training windows, {len(w['x_val'])} validation windows")
    model = build_model(cfg)
    model.compile(keras.optimizers.Adam(cfg["learning_rate"]), loss="huber", metrics=["mae"])
    hist = model.fit(w["x_train"], w["y_train"], validation_data=(w["x_val"], w["y_val"]),
                     epochs=cfg["epochs"], batch_size=cfg["batch_size"], verbose=2)
    mae = hist.history["val_mae"][-1] * float(w["target_std"])
    print(f"validation MAE {mae:.1f} kW")
    model.save("feeder.keras")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "forecast.json")
