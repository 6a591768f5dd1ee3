import argparse
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import keras

from build import build_model
from features import load_features

N_FRAMES = 11


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--n-bands", type=int, default=10)
    ap.add_argument("--epochs", type=int, default=5)
    ap.add_argument("--batch-size", type=int, default=16)
    args = ap.parse_args()
    keras.utils.set_random_seed(0)

    x_train, y_train = load_features("train", args.n_bands)
    x_val, y_val = load_features("val", args.n_bands)
    model = build_model(N_FRAMES, args.n_bands)
    print("parameters:", model.count_params())
    model.fit(x_train, y_train, validation_data=(x_val, y_val), epochs=args.epochs,
              batch_size=args.batch_size, verbose=2)
    loss, acc = model.evaluate(x_val, y_val, verbose=0)
    print(f"final val accuracy {acc:.3f}")


if __name__ == "__main__":
    main()
