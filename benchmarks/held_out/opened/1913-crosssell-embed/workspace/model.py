import keras
from keras import layers


def build(sizes, n_num, cfg):
    ins, parts = {}, []
    for c, n in sizes.items():
        i = keras.Input((), name=c, dtype="int32")
        dim = min(cfg["emb_cap"], (n + 1) // 2)
        parts.append(layers.Embedding(n, dim, name=f"emb_{c}")(i))
        ins[c] = i
    num = keras.Input((n_num,), name="num")
    ins["num"] = num
    parts.append(layers.BatchNormalization()(num))

    x = layers.Concatenate()(parts)
    for h in cfg["hidden"]:
        x = layers.Dense(h, activation="relu")(x)
        x = layers.Dropout(cfg["dropout"])(x)
    out = layers.Dense(1, activation="sigmoid")(x)

    m = keras.Model(ins, out)
    m.compile(
        optimizer=keras.optimizers.Adam(cfg["lr"]),
        loss="binary_crossentropy",
        metrics=[keras.metrics.AUC(name="auc")],
        jit_compile=False,
    )
    return m
