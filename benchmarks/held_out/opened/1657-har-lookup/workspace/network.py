import tensorflow as tf


def residual(x, filters):
    y = tf.keras.layers.Conv1D(filters, 3, padding="same", activation="relu")(x)
    y = tf.keras.layers.Conv1D(filters, 3, padding="same")(y)
    if x.shape[-1] != filters:
        x = tf.keras.layers.Conv1D(filters, 1)(x)
    return tf.keras.layers.ReLU()(tf.keras.layers.Add()([x, y]))


def build_network(window, n_channels, n_classes, normalizer):
    inputs = tf.keras.Input((window, n_channels))
    x = normalizer(inputs)
    x = residual(x, 16)
    x = tf.keras.layers.MaxPooling1D(2)(x)
    x = residual(x, 32)
    x = tf.keras.layers.GlobalAveragePooling1D()(x)
    return tf.keras.Model(inputs, tf.keras.layers.Dense(n_classes)(x))
