import keras
from keras import layers


def build_model(cfg: dict, norm: keras.layers.Normalization) -> keras.Model:
    feats, mcfg = cfg["features"], cfg["model"]

    numeric_in = {n: keras.Input((1,), name=n) for n in feats["numeric"]}
    cat_in = {n: keras.Input((1,), name=n, dtype="int32") for n in feats["categorical"]}

    # --- deep part
    parts = [norm(layers.Concatenate(name="numeric")(list(numeric_in.values())))]
    for name, spec in feats["categorical"].items():
        emb = layers.Embedding(spec["size"], spec["dim"], name=f"emb_{name}")(cat_in[name])
        parts.append(layers.Flatten(name=f"flat_{name}")(emb))
    x = layers.Concatenate(name="deep_in")(parts)
    for i, units in enumerate(mcfg["deep_units"]):
        x = layers.Dense(units, activation=mcfg["activation"], name=f"deep_{i}")(x)
        x = layers.Dropout(mcfg["dropout"])(x)
    deep_out = layers.Dense(1, name="deep_logit")(x)

    # --- wide part
    wide = []
    for cross in feats.get("crosses", []):
        crossed = layers.HashedCrossing(cross["bins"], output_mode="one_hot", name=cross["name"])(
            tuple(cat_in[k] for k in cross["keys"])
        )
        wide.append(crossed)
    if wide:
        w = wide[0] if len(wide) == 1 else layers.Concatenate()(wide)
        wide_out = layers.Dense(1, use_bias=False, name="wide_logit")(w)
        out = layers.Add(name="sum")([deep_out, wide_out])
    else:
        out = deep_out
    out = layers.Reshape((), name="units")(out)
    return keras.Model({**numeric_in, **cat_in}, out, name="wide_deep")
