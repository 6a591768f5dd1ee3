"""Predict the pump temperature from the other channels of the logger."""
import os

os.environ.setdefault("KERAS_BACKEND", "tensorflow")

import keras
import numpy as np
import pandas as pd
from keras import layers

keras.utils.set_random_seed(3)


def read_logger(n=1500, seed=3):
    rng = np.random.default_rng(seed)
    rpm = rng.normal(1450, 80, n)
    flow = 0.02 * rpm + rng.normal(0, 2, n)
    frame = pd.DataFrame(
        {
            "rpm": rpm,
            "flow_lpm": flow,
            "inlet_bar": rng.normal(1.8, 0.2, n),
            "outlet_bar": rng.normal(5.5, 0.5, n),
            "valve_state": np.ones(n),
            "ambient_c": rng.normal(21, 4, n),
        }
    )
    frame["pump_c"] = (
        0.025 * frame["rpm"]
        + 2.5 * (frame["outlet_bar"] - frame["inlet_bar"])
        + 0.8 * frame["ambient_c"]
        - 0.3 * frame["flow_lpm"]
        + rng.normal(0, 0.5, n)
    )
    return frame


def build(n_inputs):
    model = keras.Sequential(
        [
            keras.Input(shape=(n_inputs,)),
            layers.Dense(32, activation="relu"),
            layers.Dense(32, activation="relu"),
            layers.Dense(1),
        ]
    )
    model.compile(optimizer=keras.optimizers.Adam(3e-3), loss="mse", metrics=["mae"])
    return model


def standardise(frame, mean, std):
    return (frame - mean) / std


df = read_logger()
df = df.sample(frac=1.0, random_state=0).reset_index(drop=True)
print(df.head(3).round(2).to_string())

target = "pump_c"
features = [c for c in df.columns if c != target]
n_train = int(len(df) * 0.7)
n_val = int(len(df) * 0.15)

train = df.iloc[:n_train]
val = df.iloc[n_train : n_train + n_val]
test = df.iloc[n_train + n_val :]

mean, std = train[features].mean(), train[features].std()
y_mean, y_std = train[target].mean(), train[target].std()

x_train = standardise(train[features], mean, std).to_numpy("float32")
x_val = standardise(val[features], mean, std).to_numpy("float32")
x_test = standardise(test[features], mean, std).to_numpy("float32")
y_train = ((train[target] - y_mean) / y_std).to_numpy("float32")
y_val = ((val[target] - y_mean) / y_std).to_numpy("float32")

model = build(len(features))
history = model.fit(
    x_train,
    y_train,
    validation_data=(x_val, y_val),
    epochs=5,
    batch_size=32,
    verbose=2,
)

pred = model.predict(x_test, verbose=0).ravel() * y_std + y_mean
mae = np.abs(pred - test[target].to_numpy()).mean()
print(f"test MAE: {mae:.2f} degC")
