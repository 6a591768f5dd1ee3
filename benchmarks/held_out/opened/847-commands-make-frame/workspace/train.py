import argparse
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
import keras
import numpy as np

import audio
import network


def split(x, y, frac, rng):
    order = rng.permutation(len(x))
    x, y = x[order], y[order]
    n = int(len(x) * (1 - frac))
    return (x[:n], y[:n]), (x[n:], y[n:])


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--clips", default="clips")
    p.add_argument("--words", default="yes,no")
    p.add_argument("--frame", type=int, default=256)
    p.add_argument("--hop", type=int, default=128)
    p.add_argument("--epochs", type=int, default=10)
    p.add_argument("--batch", type=int, default=16)
    args = p.parse_args()

    keras.utils.set_random_seed(0)
    words = args.words.split(",")
    x, y = audio.load_folder(args.clips, words, args.frame, args.hop)
    (x_train, y_train), (x_val, y_val) = split(x, y, 0.25, np.random.default_rng(0))
    print("train", x_train.shape, "val", x_val.shape, "words", words)

    norm = keras.layers.Normalization(axis=None)
    norm.adapt(x_train)
    model = network.build(x_train.shape[1:], len(words), norm)
    model.fit(x_train, y_train, validation_data=(x_val, y_val), epochs=args.epochs,
              batch_size=args.batch, verbose=2)
    pred = model.predict(x_val, verbose=0).argmax(-1)
    for i, w in enumerate(words):
        sel = y_val == i
        print(f"{w:6s} n={sel.sum()} recall={(pred[sel] == i).mean():.2f}")


if __name__ == "__main__":
    main()
