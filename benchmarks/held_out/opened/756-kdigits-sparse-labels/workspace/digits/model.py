from tensorflow import keras
from tensorflow.keras import layers


def build_model(cfg):
    inputs = keras.Input(shape=tuple(cfg["input_shape"]))
    x = inputs
    for f in cfg["filters"]:
        x = layers.Conv2D(f, 3, padding="same", activation="relu")(x)
        x = layers.MaxPooling2D()(x)
    x = layers.Flatten()(x)
    x = layers.Dense(cfg["dense"], activation="relu")(x)
    x = layers.Dropout(cfg["dropout"])(x)
    outputs = layers.Dense(cfg["classes"], activation="softmax")(x)
    return keras.Model(inputs, outputs, name="digits_cnn")


def make_optimizer(cfg):
    kind = {"adam": keras.optimizers.Adam, "sgd": keras.optimizers.SGD}[cfg["name"]]
    return kind(learning_rate=cfg["learning_rate"])
