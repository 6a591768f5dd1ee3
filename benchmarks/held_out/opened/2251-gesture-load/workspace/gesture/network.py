import keras
from keras import layers

from gesture.layers import AttentionPool


def build(cfg):
    inputs = keras.Input((cfg["window"], cfg["channels"]), name="imu")
    x = layers.Conv1D(cfg["filters"], 5, padding="same", activation="relu")(inputs)
    x = layers.MaxPooling1D(2)(x)
    x = layers.Conv1D(cfg["filters"], 5, padding="same", activation="relu")(x)
    x = AttentionPool(cfg["attention_hidden"], name="pool")(x)
    outputs = layers.Dense(len(cfg["gestures"]), activation="softmax")(x)
    return keras.Model(inputs, outputs, name="gesture_net")
