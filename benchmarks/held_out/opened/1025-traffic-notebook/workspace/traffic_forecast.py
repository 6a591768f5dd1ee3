# %% [markdown]
# # Hourly traffic counts, one step ahead
# Exported from the notebook with jupytext.

# %%
import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np
import pandas as pd
import yaml
from keras import layers
from sklearn.preprocessing import MinMaxScaler

keras.utils.set_random_seed(8)

# %%
with open("stations.yaml") as f:
    cfg = yaml.safe_load(f)
raw = pd.read_csv(cfg["csv"], index_col="time", parse_dates=True)
raw = raw[cfg["stations"]]
print(raw.shape)
print(raw.tail(3))

# %% scale with the training part only
n_train = int(len(raw) * 0.8)
scaler = MinMaxScaler()
scaler.fit(raw.iloc[:n_train])
values = scaler.transform(raw)
target_col = cfg["stations"].index(cfg["target"])


# %%
def windows(values, lags, ahead):
    X, y = [], []
    for t in range(lags, len(values) - ahead + 1):
        X.append(values[t - lags:t])
        y.append(values[t + ahead - 1, target_col])
    return np.asarray(X, dtype="float32"), np.asarray(y, dtype="float32")


X_train, y_train = windows(values[:n_train], cfg["lags"], cfg["ahead"])
X_test, y_test = windows(values[n_train:], cfg["lags"], cfg["ahead"])
print("train", X_train.shape, y_train.shape, "test", X_test.shape)

# %% model
model = keras.Sequential()
model.add(layers.Input((cfg["lags"], len(cfg["stations"]))))
model.add(layers.LSTM(24, return_sequences=True))
model.add(layers.Dropout(0.1))
model.add(layers.LSTM(16))
model.add(layers.Dense(1))
model.compile(optimizer=keras.optimizers.Adam(5e-3), loss="mse", metrics=["mae"])
model.summary()

# %%
history = model.fit(X_train, y_train, validation_split=0.1, epochs=5, batch_size=32, verbose=2)

# %% back to vehicles per hour
pred = model.predict(X_test, verbose=0)[:, 0]


def to_counts(column):
    full = np.zeros((len(column), len(cfg["stations"])))
    full[:, target_col] = column
    return scaler.inverse_transform(full)[:, target_col]


err = np.abs(to_counts(pred) - to_counts(y_test))
naive = np.abs(to_counts(X_test[:, -1, target_col]) - to_counts(y_test))
print(f"LSTM MAE {err.mean():.1f} vehicles/h, last-value MAE {naive.mean():.1f}")
