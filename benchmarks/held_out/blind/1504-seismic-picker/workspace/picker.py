import tensorflow as tf
from tensorflow.keras import layers


class Down(layers.Layer):
    def __init__(self, filters, kernel, drop, **kw):
        super().__init__(**kw)
        self.keep = layers.Conv1D(filters, kernel, padding="same", activation="relu")
        self.drop = layers.SpatialDropout1D(drop)
        self.reduce = layers.Conv1D(filters, kernel, strides=2, padding="same", activation="relu")

    def call(self, x, training=None):
        skip = self.drop(self.keep(x), training=training)
        return self.reduce(skip), skip


class Up(layers.Layer):
    def __init__(self, filters, kernel, **kw):
        super().__init__(**kw)
        self.grow = layers.Conv1DTranspose(filters, kernel, strides=2, padding="same", activation="relu")
        self.mix = layers.Conv1D(filters, kernel, padding="same", activation="relu")

    def call(self, x, skip):
        x = self.grow(x)
        return self.mix(tf.concat([x, skip], axis=-1))


class PhasePicker(tf.keras.Model):
    """Noise / P / S probabilities for every sample."""

    def __init__(self, filters, kernel=7, drop=0.1):
        super().__init__()
        self.downs = [Down(f, kernel, drop) for f in filters]
        self.neck = layers.Conv1D(filters[-1], kernel, padding="same", activation="relu")
        self.ups = [Up(f, kernel) for f in reversed(filters)]
        self.head = layers.Conv1D(3, 1)

    def call(self, x, training=None):
        skips = []
        for d in self.downs:
            x, k = d(x, training=training)
            skips.append(k)
        x = self.neck(x)
        for up in self.ups:
            x = up(x, skips.pop())
        return self.head(x)
