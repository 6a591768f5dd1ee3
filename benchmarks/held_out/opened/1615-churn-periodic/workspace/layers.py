import keras
from keras import ops


@keras.saving.register_keras_serializable("churn")
class PeriodicFeatures(keras.layers.Layer):
    """Learned sine and cosine expansion of each numeric column."""

    def __init__(self, n_freq=8, sigma=0.5, **kwargs):
        super().__init__(**kwargs)
        self.n_freq = n_freq
        self.sigma = sigma

    def build(self, input_shape):
        self.freq = self.add_weight(
            name="freq",
            shape=(input_shape[-1], self.n_freq),
            initializer=keras.initializers.RandomNormal(stddev=self.sigma),
        )
        super().build(input_shape)

    def call(self, x):
        angle = 2 * 3.14159265 * ops.expand_dims(x, -1) * self.freq
        return ops.concatenate([ops.sin(angle), ops.cos(angle)], axis=-1)

    def compute_output_shape(self, input_shape):
        return (*input_shape, 2 * self.n_freq)

    def get_config(self):
        config = super().get_config()
        config.update({"sigma": self.sigma})
        return config


@keras.saving.register_keras_serializable("churn")
class ColumnwiseDense(keras.layers.Layer):
    """One small dense map per column."""

    def __init__(self, units, activation="relu", **kwargs):
        super().__init__(**kwargs)
        self.units = units
        self.activation = keras.activations.get(activation)

    def build(self, input_shape):
        _, n_cols, width = input_shape
        self.kernel = self.add_weight(name="kernel", shape=(n_cols, width, self.units), initializer="glorot_uniform")
        self.bias = self.add_weight(name="bias", shape=(n_cols, self.units), initializer="zeros")
        super().build(input_shape)

    def call(self, x):
        return self.activation(ops.einsum("bcw,cwu->bcu", x, self.kernel) + self.bias)

    def get_config(self):
        config = super().get_config()
        config.update({"units": self.units, "activation": keras.activations.serialize(self.activation)})
        return config
