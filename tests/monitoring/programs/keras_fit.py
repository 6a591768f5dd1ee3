"""Keras: a model that is compiled and fitted."""

import keras
import numpy as np

keras.utils.set_random_seed(1)
x = np.random.rand(600, 12).astype("float32")
y = (x.sum(1) > 6).astype("int64")
model = keras.Sequential(
    [
        keras.layers.Dense(32, activation="relu"),
        keras.layers.Dense(32, activation="tanh"),
        keras.layers.Dropout(0.2),
        keras.layers.Dense(2, activation="softmax"),
    ]
)
model.compile(
    optimizer=keras.optimizers.Adam(1e-3),
    loss="sparse_categorical_crossentropy",
    metrics=["accuracy"],
)
h = model.fit(
    x[:500], y[:500], validation_data=(x[500:], y[500:]), epochs=4, batch_size=20, verbose=0
)
print(repr(h.history))
print(repr(float(sum(np.abs(w).sum() for w in model.get_weights()))))
