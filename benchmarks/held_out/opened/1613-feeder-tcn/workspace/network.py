import keras
from keras import layers


def build_network(n_steps, n_features, cfg):
    m = cfg["model"]
    inputs = keras.Input((n_steps, n_features))
    x = inputs
    for dilation in (1, 2, 4):
        y = layers.Conv1D(m["filters"], m["kernel"], padding="causal", dilation_rate=dilation, activation="relu")(x)
        y = layers.Dropout(m["dropout"])(y)
        x = y if x is inputs else layers.add([x, y])
    x = layers.GRU(m["units"])(x)
    outputs = layers.Dense(cfg["window"]["horizon_hours"])(x)
    return keras.Model(inputs, outputs, name="feeder_tcn")


def compile_network(model, cfg):
    model.compile(
        optimizer=keras.optimizers.Adam(cfg["fit"]["learning_rate"]),
        loss="mse",
        metrics=["mae"],
    )
    return model
