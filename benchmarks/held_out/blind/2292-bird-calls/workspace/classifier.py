from keras import Sequential, layers


def build(shape, n_species):
    return Sequential([
        layers.Input(shape),
        layers.Conv2D(12, 3, activation="relu"),
        layers.MaxPooling2D((2, 2)),
        layers.Conv2D(24, 3, activation="relu"),
        layers.MaxPooling2D((2, 2)),
        layers.GlobalAveragePooling2D(),
        layers.Dropout(0.2),
        layers.Dense(n_species, activation="softmax"),
    ])
