import keras
from keras import layers


def build(net_cfg, seq_len, n_meta, n_intents):
    tokens = keras.Input((seq_len,), dtype="int32", name="tokens")
    meta = keras.Input((n_meta,), name="meta")
    h = layers.Embedding(net_cfg["vocab_size"], net_cfg["embed_dim"], name="embed")(tokens)
    h = layers.Conv1D(net_cfg["filters"], 3, padding="same", activation="relu")(h)
    h = layers.GlobalMaxPooling1D()(h)
    h = layers.Concatenate()([h, layers.Dense(8, activation="relu")(meta)])
    h = layers.Dropout(net_cfg["dropout"])(h)
    out = layers.Dense(n_intents, activation="softmax", name="intent")(h)
    return keras.Model([tokens, meta], out, name="intent_net")


def compile_model(model, fit_cfg):
    model.compile(
        optimizer=keras.optimizers.Adam(fit_cfg["learning_rate"]),
        loss="sparse_categorical_crossentropy",
        metrics=["accuracy"],
    )
    return model
