import keras
from keras import layers

import config as cfg


def build_network(n_features):
    inputs = keras.Input((n_features,), name="features")
    x = inputs
    for i, units in enumerate(cfg.HIDDEN_UNITS):
        x = layers.Dense(units, activation=cfg.HIDDEN_ACTIVATION, name=f"hidden_{i}")(x)
        x = layers.Dropout(cfg.DROPOUT)(x)
    outputs = layers.Dense(cfg.OUTPUT_UNITS, activation=cfg.OUTPUT_ACTIVATION, name="failure")(x)
    model = keras.Model(inputs, outputs, name="pump_failure")
    model.compile(
        optimizer=keras.optimizers.Adam(cfg.LEARNING_RATE),
        loss=cfg.LOSS,
        metrics=["accuracy", keras.metrics.AUC(name="auc")],
    )
    return model
