import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import numpy as np
import pandas as pd
import keras
from keras import layers
from sklearn.preprocessing import MinMaxScaler

keras.utils.set_random_seed(7)

WINDOW = 24
HORIZON = 1
FEATURES = ["load", "temp", "wind"]


def make_frame(n=600):
    rng = np.random.default_rng(0)
    t = np.arange(n)
    temp = 12 + 8 * np.sin(2 * np.pi * t / 24) + rng.normal(0, 0.5, n)
    wind = np.abs(rng.normal(5, 2, n))
    load = 300 - 4 * temp + 3 * wind + rng.normal(0, 4, n)
    idx = pd.date_range("2024-01-01", periods=n, freq="h")
    return pd.DataFrame({"load": load, "temp": temp, "wind": wind}, index=idx)


def make_windows(values, window, horizon):
    X, y = [], []
    for i in range(len(values) - window - horizon + 1):
        X.append(values[i : i + window])
        y.append(values[i + window + horizon - 1, 0])
    return np.array(X, dtype="float32"), np.array(y, dtype="float32")


df = make_frame()
split = int(len(df) * 0.8)

scaler = MinMaxScaler()
train = scaler.fit_transform(df[FEATURES][:split])
test = scaler.transform(df[FEATURES][split:])

X_train, y_train = make_windows(train, WINDOW, HORIZON)
X_test, y_test = make_windows(test, WINDOW, HORIZON)
print("train", X_train.shape, y_train.shape)
print("test ", X_test.shape, y_test.shape)

model = keras.Sequential(
    [
        layers.Input(shape=(WINDOW, len(FEATURES))),
        layers.LSTM(32, return_sequences=True),
        layers.LSTM(16),
        layers.Dense(8, activation="relu"),
        layers.Dense(HORIZON),
    ]
)
model.compile(optimizer="adam", loss="mse", metrics=["mae"])

model.fit(
    X_train,
    y_train,
    epochs=3,
    batch_size=32,
    validation_split=0.1,
    verbose=2,
)

pred = model.predict(X_test, verbose=0)

# back to MW
load_pred = scaler.inverse_transform(pred)[:, 0]
truth = df["load"].values[split + WINDOW :]

rmse = np.sqrt(np.mean((load_pred - truth) ** 2))
print(f"RMSE {rmse:.2f} MW")
