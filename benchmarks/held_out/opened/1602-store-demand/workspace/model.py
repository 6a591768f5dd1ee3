import keras
from keras import layers


def build_model(n_features, hidden, dropout, lr):
    inputs = keras.Input(shape=(n_features,), name="features")
    x = inputs
    for units in hidden:
        x = layers.Dense(units, activation="relu")(x)
        x = layers.Dropout(dropout)(x)
    outputs = layers.Dense(1, name="log_units")(x)
    model = keras.Model(inputs, outputs, name="demand")
    model.compile(optimizer=keras.optimizers.Adam(lr), loss="huber", metrics=["mae"])
    return model
