import numpy as np
import tensorflow as tf

WINDOW = 12
BATCH = 16
signal = np.sin(np.arange(500) / 10).astype(np.float32)
noise = np.random.normal(0, 0.1, 500).astype(np.float32)
data = np.stack([signal + noise, noise], axis=1)


def split_window(w):
    return w[:-1], w[-1, :1]


def make_ds(arr, training):
    ds = tf.data.Dataset.from_tensor_slices(arr)
    ds = ds.window(WINDOW + 1, shift=1, drop_remainder=True)
    ds = ds.flat_map(lambda w: w.batch(WINDOW + 1))
    ds = ds.map(split_window)
    if training:
        ds = ds.shuffle(200)
        ds = ds.batch(BATCH)
    return ds.prefetch(1)


train_ds = make_ds(data[:400], True)
val_ds = make_ds(data[400:], False)

inputs = tf.keras.Input(shape=(WINDOW, 2))
x = tf.keras.layers.Conv1D(16, 3, activation="relu")(inputs)
x = tf.keras.layers.GRU(8)(x)
outputs = tf.keras.layers.Dense(1)(x)
model = tf.keras.Model(inputs, outputs)
model.compile("adam", "mse")

model.fit(train_ds, validation_data=val_ds, epochs=1, verbose=2)
