import keras
from keras import layers


def build_model(n_frames, n_bands, units=24, dropout=0.1):
    inp = keras.Input((n_frames, n_bands), name="bands")
    x = layers.BatchNormalization()(inp)
    x = layers.Conv1D(units, 3, padding="same", activation="relu")(x)
    x = layers.Conv1D(units, 3, padding="same", activation="relu")(x)
    x = layers.GlobalAveragePooling1D()(x)
    x = layers.Dropout(dropout)(x)
    out = layers.Dense(1, activation="sigmoid")(x)
    model = keras.Model(inp, out, name="ectopic")
    model.compile(optimizer=keras.optimizers.Adam(5e-3), loss="binary_crossentropy", metrics=["accuracy"])
    return model
