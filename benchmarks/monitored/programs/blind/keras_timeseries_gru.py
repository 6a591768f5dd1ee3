# metric: forecast mae ([\d.]+|nan) lower
import numpy as np
import keras
from keras import layers, optimizers

keras.utils.set_random_seed(22)
WINDOW = 16
time = np.arange(1800, dtype="float32")
signal = 20 + 8 * np.sin(time / 12) + np.random.default_rng(22).normal(0, 0.5, len(time))
mean, std = signal[:1400].mean(), signal[:1400].std()
signal = (signal - mean) / std
X = np.stack([signal[i : i + WINDOW] for i in range(len(signal) - WINDOW)])[..., None]
y = signal[WINDOW:]
X_train, y_train, X_val, y_val = X[:1400], y[:1400], X[1400:], y[1400:]

model = keras.Sequential()
model.add(layers.Input(shape=(WINDOW, 1)))
model.add(layers.GRU(20))
model.add(layers.Dense(10, activation="relu"))
model.add(layers.Dense(1))
model.compile(loss="mean_squared_error", optimizer=optimizers.Adam(learning_rate=0.004), metrics=["mae"])
model.fit(X_train, y_train, epochs=4, batch_size=32, verbose=2)
results = model.evaluate(X_val, y_val, verbose=0)
print(f"forecast mae {results[1]:.4f}")
