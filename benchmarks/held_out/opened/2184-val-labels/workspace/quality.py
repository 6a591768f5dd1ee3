"""Grades of weld seams (1 best .. 4 worst) from sensor traces."""
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import keras
import numpy as np
from keras import layers

GRADES = 4


def traces(n, seed):
    rng = np.random.default_rng(seed)
    grade = rng.integers(1, GRADES + 1, n)
    t = np.linspace(0, 1, 80)
    base = np.sin(2 * np.pi * 5 * t)[None] * np.ones((n, 1))
    spatter = rng.normal(0, 1, (n, 80)) * (0.25 * grade[:, None])
    return (base + spatter)[..., None].astype("float32"), grade.astype("int32")


def build():
    inp = keras.Input((80, 1))
    x = layers.Conv1D(16, 5, activation="relu")(inp)
    x = layers.Conv1D(16, 5, strides=2, activation="relu")(x)
    x = layers.GlobalAveragePooling1D()(x)
    x = layers.Dense(32, activation="relu")(x)
    out = layers.Dense(GRADES, activation="softmax")(x)
    return keras.Model(inp, out)


class KeepBest(keras.callbacks.Callback):
    """Holds the best weights in memory and restores them at the end."""

    def __init__(self, key="val_accuracy"):
        super().__init__()
        self.key = key
        self.best, self.weights = -np.inf, None

    def on_epoch_end(self, epoch, logs=None):
        if logs[self.key] > self.best:
            self.best = logs[self.key]
            self.weights = self.model.get_weights()

    def on_train_end(self, logs=None):
        self.model.set_weights(self.weights)


def main():
    keras.utils.set_random_seed(2)
    x_tr, g_tr = traces(600, 0)
    x_va, g_va = traces(200, 1)
    model = build()
    model.compile(keras.optimizers.Adam(5e-3), loss="sparse_categorical_crossentropy", metrics=["accuracy"])
    keep = KeepBest()
    model.fit(
        x_tr, g_tr - 1, validation_data=(x_va, g_va), epochs=6, batch_size=50, verbose=2, callbacks=[keep]
    )
    loss, acc = model.evaluate(x_va, g_va - 1, verbose=0)
    confusion = np.zeros((GRADES, GRADES), int)
    for g, p in zip(g_va - 1, model.predict(x_va, verbose=0).argmax(1)):
        confusion[g, p] += 1
    print(f"validation loss {loss:.3f} accuracy {acc:.3f} (best seen {keep.best:.3f})")
    print(confusion)


if __name__ == "__main__":
    main()
