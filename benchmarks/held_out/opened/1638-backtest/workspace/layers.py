import keras
from keras import ops


@keras.saving.register_keras_serializable("demand")
class LowRankDense(keras.layers.Layer):
    """Dense layer whose kernel is the product of two thin matrices."""

    def __init__(self, units, rank=8, activation=None, **kwargs):
        super().__init__(**kwargs)
        self.units = units
        self.rank = rank
        self.activation = keras.activations.get(activation)

    def build(self, input_shape):
        self.down = self.add_weight(shape=(input_shape[-1], self.rank), name="down")
        self.up = self.add_weight(shape=(self.rank, self.units), name="up")
        self.bias = self.add_weight(shape=(self.units,), initializer="zeros", name="bias")

    def call(self, x):
        x = ops.matmul(ops.matmul(x, self.down), self.up) + self.bias
        return self.activation(x)

    def get_config(self):
        config = super().get_config()
        config.update(
            units=self.units,
            activation=keras.activations.serialize(self.activation),
        )
        return config


@keras.saving.register_keras_serializable("demand")
class Seasonal(keras.layers.Layer):
    """Appends sine and cosine of the hour of day to every time step."""

    def __init__(self, period=24, harmonics=2, **kwargs):
        super().__init__(**kwargs)
        self.period = period
        self.harmonics = harmonics

    def call(self, x):
        values, hour = x[..., :1], x[..., 1:]
        parts = [values]
        for k in range(1, self.harmonics + 1):
            angle = 2.0 * 3.141592653589793 * k * hour / self.period
            parts += [ops.sin(angle), ops.cos(angle)]
        return ops.concatenate(parts, axis=-1)

    def get_config(self):
        return {**super().get_config(), "period": self.period, "harmonics": self.harmonics}
