import keras
from keras import layers

from custom_layers import AttentionPooling


def build_model(steps, channels, num_classes):
    inputs = keras.Input((steps, channels), name="signal")
    x = layers.Conv1D(16, 5, padding="same", activation="relu")(inputs)
    x = layers.Conv1D(16, 5, padding="same", activation="relu")(x)
    x = AttentionPooling(8, temperature=0.5, name="pool")(x)
    x = layers.Dense(16, activation="relu")(x)
    outputs = layers.Dense(num_classes, activation="softmax", name="activity")(x)
    model = keras.Model(inputs, outputs)
    model.compile(
        optimizer=keras.optimizers.Adam(5e-3),
        loss="sparse_categorical_crossentropy",
        metrics=["accuracy"],
    )
    return model
