import os
import datetime
import numpy as np
import tensorflow as tf
from tensorflow.keras.callbacks import ModelCheckpoint, EarlyStopping, ReduceLROnPlateau, CSVLogger

# hourly load forecasting, window of 24h -> next hour

WINDOW = 24


def load_series(hours=900):
    t = np.arange(hours)
    rng = np.random.RandomState(5)
    daily = 10 * np.sin(2 * np.pi * t / 24)
    weekly = 4 * np.sin(2 * np.pi * t / (24 * 7))
    return (50 + daily + weekly + rng.normal(0, 0.8, hours)).astype("float32")


def windows(series, window):
    X, y = [], []
    for i in range(len(series) - window):
        X.append(series[i:i + window])
        y.append(series[i + window])
    return np.array(X)[..., None], np.array(y)


series = load_series()
split = int(len(series) * 0.8)
mean, std = series[:split].mean(), series[:split].std()
series = (series - mean) / std

X_train, y_train = windows(series[:split], WINDOW)
X_val, y_val = windows(series[split:], WINDOW)
print("train", X_train.shape, y_train.shape, "val", X_val.shape, y_val.shape)

model = tf.keras.Sequential([
    tf.keras.layers.Input(shape=(WINDOW, 1)),
    tf.keras.layers.LSTM(24, return_sequences=True),
    tf.keras.layers.LSTM(12),
    tf.keras.layers.Dense(8, activation="relu"),
    tf.keras.layers.Dense(1),
])
model.compile(optimizer=tf.keras.optimizers.Adam(5e-3), loss="mse", metrics=["mae"])
model.summary()

run_dir = os.path.join("runs", datetime.datetime.now().strftime("%Y%m%d-%H%M%S"))
os.makedirs(run_dir, exist_ok=True)

checkpoint = ModelCheckpoint(os.path.join(run_dir, "best.h5"), monitor="val_loss", save_best_only=True, save_weights_only=True, verbose=1)
early_stop = EarlyStopping(monitor="val_loss", patience=5)
reduce_lr = ReduceLROnPlateau(monitor="val_loss", factor=0.5, patience=2, min_lr=1e-5)
csv_logger = CSVLogger(os.path.join(run_dir, "history.csv"))

model.fit(
    X_train, y_train,
    validation_data=(X_val, y_val),
    epochs=6,
    batch_size=64,
    callbacks=[checkpoint, early_stop, reduce_lr, csv_logger],
    verbose=2,
)

print("files:", sorted(os.listdir(run_dir)))
loss, mae = model.evaluate(X_val, y_val, verbose=0)
print("val MAE in MW: %.3f" % (mae * std))
