import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import tomllib

import tensorflow as tf

from network import build_network
from pipeline import LabelledWindows, load_recordings


def main():
    with open("settings.toml", "rb") as f:
        cfg = tomllib.load(f)
    data, train = cfg["data"], cfg["train"]
    tf.keras.utils.set_random_seed(5)

    df = load_recordings(data["recordings"])
    held_out = df["subject"].isin(train["val_subjects"])
    windows = LabelledWindows(df, data)
    train_ds = windows.dataset(df[~held_out], train["batch_size"], training=True)
    val_ds = windows.dataset(df[held_out], train["batch_size"], training=False)
    print("activities:", ", ".join(windows.classes))

    normalizer = tf.keras.layers.Normalization(axis=-1)
    normalizer.adapt(train_ds.map(lambda x, y: x))

    model = build_network(data["window"], len(data["channels"]), windows.num_classes, normalizer)
    model.compile(
        optimizer=tf.keras.optimizers.Adam(train["learning_rate"]),
        loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    history = model.fit(train_ds, validation_data=val_ds, epochs=train["epochs"], verbose=2)
    print("best val accuracy", max(history.history["val_accuracy"]))


if __name__ == "__main__":
    main()
