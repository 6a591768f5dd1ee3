import keras
from keras import layers


def build_model(n_inputs, cfg):
    inputs = keras.Input(shape=(n_inputs,), name="features")
    x = inputs
    for width in cfg["model"]["hidden"]:
        x = layers.Dense(width, activation="relu")(x)
        x = layers.Dropout(cfg["model"]["dropout"])(x)
    out = layers.Dense(1, activation="sigmoid", name="churn")(x)
    model = keras.Model(inputs, out)
    model.compile(
        optimizer=keras.optimizers.Adam(cfg["train"]["learning_rate"]),
        loss="binary_crossentropy",
        metrics=[keras.metrics.AUC(name="auc")],
    )
    return model
