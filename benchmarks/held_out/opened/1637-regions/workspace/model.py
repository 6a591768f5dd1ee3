import keras
from keras import layers


def churn_model(n_features, learning_rate):
    inputs = keras.Input((n_features,), name="features")
    x = layers.Dense(32, activation="relu")(inputs)
    x = layers.Dropout(0.2)(x)
    x = layers.Dense(16, activation="relu")(x)
    outputs = layers.Dense(1, activation="sigmoid", name="churn")(x)
    model = keras.Model(inputs, outputs)
    model.compile(
        optimizer=keras.optimizers.Adam(learning_rate),
        loss="binary_crossentropy",
        metrics=[keras.metrics.AUC(name="auc")],
    )
    return model
