import keras
from keras import layers


def build_model(window, n_features, horizon, units=32, dropout=0.0):
    inputs = keras.Input((window, n_features), name="history")
    x = layers.Conv1D(units, 3, padding="causal", activation="relu")(inputs)
    x = layers.GRU(units)(x)
    x = layers.Dropout(dropout)(x)
    outputs = layers.Dense(horizon, name="forecast")(x)
    model = keras.Model(inputs, outputs, name="load_forecaster")
    model.compile(optimizer=keras.optimizers.Adam(3e-3), loss="mse")
    return model
