import keras
from keras import layers


def mlp(n_inputs, hidden=(32, 16), l2=1e-4):
    reg = keras.regularizers.l2(l2)
    x = inputs = keras.Input((n_inputs,), name="customer")
    for i, units in enumerate(hidden):
        x = layers.Dense(units, activation="relu", kernel_regularizer=reg, name=f"dense_{i}")(x)
        x = layers.Dropout(0.1)(x)
    outputs = layers.Dense(1, activation="softmax", name="churn")(x)
    return keras.Model(inputs, outputs)


def compile_model(model, lr):
    model.compile(
        optimizer=keras.optimizers.Adam(lr),
        loss=keras.losses.BinaryCrossentropy(),
        metrics=["accuracy", keras.metrics.AUC(name="auc")],
    )
    return model
