import keras
from keras import layers


def build_model(params, sizes):
    numeric = keras.Input((len(params["numeric"]),), name="numeric")
    inputs, parts = {"numeric": numeric}, [numeric]
    for name in params["categorical"]:
        code = keras.Input((1,), dtype="int32", name=name)
        emb = layers.Embedding(sizes[name], params["embedding_dim"], name=f"{name}_emb")(code)
        inputs[name] = code
        parts.append(layers.Flatten()(emb))

    h = layers.Concatenate()(parts)
    for width in params["hidden"]:
        h = layers.Dense(width, activation="relu")(h)
        h = layers.Dropout(params["dropout"])(h)
    out = layers.Dense(len(params["grades"]), activation="softmax", name="grade")(h)

    model = keras.Model(inputs, out)
    model.compile(
        optimizer=keras.optimizers.Adam(params["learning_rate"]),
        loss=params["loss"],
        metrics=[params["metric"]],
    )
    return model
