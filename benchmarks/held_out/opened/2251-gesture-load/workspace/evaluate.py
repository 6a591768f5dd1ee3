import keras
import numpy as np
import yaml

import gesture.layers  # noqa: F401  registers the custom layer
from gesture.signals import make_set


def confusion(y, pred, n):
    table = np.zeros((n, n), dtype=int)
    np.add.at(table, (y, pred), 1)
    return table


def main():
    with open("settings.yaml") as f:
        cfg = yaml.safe_load(f)
    model = keras.models.load_model(cfg["model_path"])
    x, y = make_set(cfg, seed=99)
    pred = model.predict(x, batch_size=128, verbose=0).argmax(-1)
    print(f"accuracy {np.mean(pred == y):.3f}")
    for name, row in zip(cfg["gestures"], confusion(y, pred, len(cfg["gestures"]))):
        print(f"{name:8s}", row)


if __name__ == "__main__":
    main()
