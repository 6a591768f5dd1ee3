import keras
from keras import layers

import schema


def head(name, features, spec):
    hidden = layers.Dense(16, activation="relu", name=f"{name}_hidden")(features)
    return layers.Dense(spec["units"], activation=spec["activation"], name=name)(hidden)


def build(width=32):
    numeric = keras.Input((len(schema.NUMERIC),), name="numeric")
    district = keras.Input((1,), dtype="int32", name="district")
    text = keras.Input((schema.TEXT_TOKENS,), dtype="int32", name="description")

    d = layers.Flatten()(layers.Embedding(schema.DISTRICTS, 4)(district))
    t = layers.Embedding(schema.VOCAB, 8)(text)
    t = layers.GlobalAveragePooling1D()(layers.Conv1D(8, 3, activation="relu")(t))
    trunk = layers.Concatenate()([numeric, d, t])
    trunk = layers.Dense(width, activation="relu", name="trunk")(trunk)
    trunk = layers.LayerNormalization()(trunk)

    outputs = {name: head(name, trunk, spec) for name, spec in schema.HEADS.items()}
    return keras.Model(
        {"numeric": numeric, "district": district, "description": text}, outputs, name="listing_net"
    )
