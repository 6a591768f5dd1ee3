import argparse
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import keras

from melody import N_TOKENS
from network import melody_model
from pipeline import SEQ_LEN, make_dataset


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--n-train", type=int, default=256)
    ap.add_argument("--n-valid", type=int, default=64)
    ap.add_argument("--batch-size", type=int, default=16)
    ap.add_argument("--epochs", type=int, default=4)
    args = ap.parse_args()
    keras.utils.set_random_seed(2)

    train = make_dataset(args.n_train, 1, args.batch_size, training=True)
    valid = make_dataset(args.n_valid, 2, args.batch_size, training=False)
    print("train batch:", train.element_spec)
    model = melody_model(SEQ_LEN, N_TOKENS)
    model.compile(
        optimizer=keras.optimizers.Adam(5e-3),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=[keras.metrics.SparseCategoricalAccuracy(name="acc")],
    )
    model.fit(train, validation_data=valid, epochs=args.epochs, verbose=2)


if __name__ == "__main__":
    main()
