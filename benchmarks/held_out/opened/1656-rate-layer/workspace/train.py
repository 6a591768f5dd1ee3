import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import argparse
import json
from pathlib import Path

import keras

from features import SAMPLE_RATE, WORDS, make_dataset
from model import build_model


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--train-clips", type=int, default=400)
    parser.add_argument("--test-clips", type=int, default=120)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--out", type=Path, default=Path("artifacts"))
    args = parser.parse_args()
    args.out.mkdir(exist_ok=True)

    keras.utils.set_random_seed(3)
    x_train, y_train = make_dataset(args.train_clips, seed=0)
    x_val, y_val = make_dataset(80, seed=1)
    x_test, y_test = make_dataset(args.test_clips, seed=2)

    model = build_model(x_train.shape[1], len(WORDS), SAMPLE_RATE)
    model.compile(keras.optimizers.Adam(3e-3), "sparse_categorical_crossentropy", metrics=["accuracy"])
    checkpoint = args.out / "best.keras"
    model.fit(
        x_train,
        y_train,
        validation_data=(x_val, y_val),
        epochs=args.epochs,
        batch_size=32,
        verbose=2,
        callbacks=[keras.callbacks.ModelCheckpoint(str(checkpoint), monitor="val_accuracy", mode="max", save_best_only=True)],
    )

    best = keras.models.load_model(checkpoint)
    loss, acc = best.evaluate(x_test, y_test, verbose=0)
    (args.out / "report.json").write_text(json.dumps({"test_loss": loss, "test_accuracy": acc}))
    print(f"test accuracy {acc:.3f}")


if __name__ == "__main__":
    main()
