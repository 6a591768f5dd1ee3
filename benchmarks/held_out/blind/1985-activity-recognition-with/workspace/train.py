import argparse
import json

import keras

from build import build_model
from dataset import ACTIVITIES, load


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", default="data/train.npz")
    parser.add_argument("--output", default="activity.keras")
    parser.add_argument("--epochs", type=int, default=6)
    args = parser.parse_args()

    keras.utils.set_random_seed(1)
    x, y = load(args.data)
    model = build_model(x.shape[1], x.shape[2], len(ACTIVITIES))
    history = model.fit(x, y, validation_split=0.2, epochs=args.epochs, verbose=2)
    model.save(args.output)
    with open("history.json", "w") as f:
        json.dump({k: [round(v, 4) for v in vs] for k, vs in history.history.items()}, f)


if __name__ == "__main__":
    main()
