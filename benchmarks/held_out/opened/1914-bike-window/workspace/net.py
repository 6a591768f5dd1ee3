import keras
from keras import layers

import settings as S


def make_net():
    inp = keras.Input((S.LOOKBACK, len(S.FEATURES)), name="history")
    x = layers.Conv1D(S.UNITS, 5, padding="causal", activation="relu")(inp)
    x = layers.Conv1D(S.UNITS, 3, dilation_rate=2, padding="causal", activation="relu")(x)
    x = layers.Flatten()(x)                      # keep the position of each hour
    x = layers.Dense(2 * S.UNITS, activation="relu")(x)
    out = layers.Dense(S.HORIZON, name="forecast")(x)
    net = keras.Model(inp, out, name="bike_net")
    net.compile("adam", loss="mse", metrics=["mae"])
    return net
