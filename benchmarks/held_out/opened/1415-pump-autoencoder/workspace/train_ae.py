import os
import sys
os.environ.setdefault("KERAS_BACKEND", "jax")

import keras
from keras import layers

from pump.data import CHANNELS, runs
from pump.layers import RandomChannelDrop, Standardize

LENGTH = 48


def build(mean, std):
    inp = keras.Input((LENGTH, len(CHANNELS)), name="window")
    z = Standardize(mean, std, name="standardize")(inp)
    x = RandomChannelDrop(0.15, seed=3)(z)
    x = layers.Conv1D(16, 5, strides=2, padding="same", activation="relu")(x)
    x = layers.Conv1D(8, 5, strides=2, padding="same", activation="relu")(x)
    x = layers.Conv1DTranspose(16, 5, strides=2, padding="same", activation="relu")(x)
    x = layers.Conv1DTranspose(16, 5, strides=2, padding="same", activation="relu")(x)
    out = layers.Conv1D(len(CHANNELS), 3, padding="same", name="recon")(x)
    return keras.Model(inp, out, name="pump_ae")


def main():
    keras.utils.set_random_seed(0)
    x = runs(320, LENGTH, faulty=False, seed=0)
    mean, std = x.mean((0, 1)), x.std((0, 1))
    model = build(mean, std)
    target = (x - mean) / std
    model.compile(optimizer=keras.optimizers.Adam(3e-3), loss="mse", metrics=["mae"])
    hist = model.fit(x, target, epochs=8, batch_size=32, validation_split=0.15, verbose=2)
    model.save("pump_ae.keras")
    print("saved, last val_loss %.4f" % hist.history["val_loss"][-1])


if __name__ == "__main__":
    main()
    if "--score" in sys.argv:
        import score
        score.main("pump_ae.keras")
