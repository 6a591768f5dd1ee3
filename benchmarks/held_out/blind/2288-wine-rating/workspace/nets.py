import keras
from keras import layers


def band_classifier(n_features, n_bands, x_ref, units=(48, 24), dropout=0.1):
    norm = layers.Normalization()
    norm.adapt(x_ref)
    inp = keras.Input((n_features,), name="chemistry")
    h = norm(inp)
    for i, u in enumerate(units):
        h = layers.Dense(u, activation="swish", name=f"dense_{i}")(h)
        h = layers.Dropout(dropout)(h)
    out = layers.Dense(n_bands, name="band_logits")(h)
    return keras.Model(inp, out, name="wine_bands")
