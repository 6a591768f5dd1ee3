import keras
from keras import layers


def build(input_shape, n_words, norm):
    inp = layers.Input(shape=input_shape)
    x = norm(inp)
    x = layers.Conv2D(8, 3, activation="relu", padding="same")(x)
    x = layers.MaxPooling2D((2, 4))(x)
    x = layers.Conv2D(16, 3, activation="relu", padding="same")(x)
    x = layers.MaxPooling2D((2, 4))(x)
    x = layers.Flatten()(x)
    x = layers.Dropout(0.2)(x)
    out = layers.Dense(n_words)(x)
    model = keras.Model(inp, out)
    model.compile(
        optimizer=keras.optimizers.Adam(5e-3),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    return model
