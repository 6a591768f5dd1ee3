import keras
from keras import layers, ops


@keras.saving.register_keras_serializable(package="kiln")
class FourierTime(layers.Layer):
    """Append sin/cos channels of the position along the curve."""

    def __init__(self, n_freq=3, **kwargs):
        super().__init__(**kwargs)
        self.n_freq = n_freq

    def call(self, x):
        steps = ops.shape(x)[1]
        t = ops.linspace(0.0, 1.0, steps)[None, :, None]
        k = ops.reshape(ops.arange(1, self.n_freq + 1, dtype="float32"), (1, 1, -1))
        wave = ops.concatenate([ops.sin(6.2832 * k * t), ops.cos(6.2832 * k * t)], axis=-1)
        wave = ops.broadcast_to(wave, (ops.shape(x)[0], steps, 2 * self.n_freq))
        return ops.concatenate([x, wave], axis=-1)

    def compute_output_shape(self, shape):
        return (*shape[:-1], shape[-1] + 2 * self.n_freq)

    def get_config(self):
        return {**super().get_config(), "n_freq": self.n_freq}


@keras.saving.register_keras_serializable(package="kiln")
class Bottleneck(layers.Layer):
    """Squeeze a sequence into a few codes and spread it out again."""

    def __init__(self, codes, l1=0.0, **kwargs):
        super().__init__(**kwargs)
        self.codes = codes
        self.l1 = l1

    def build(self, shape):
        _, self.steps, self.channels = shape
        flat = self.steps * self.channels
        self.enc = self.add_weight(name="enc", shape=(flat, self.codes), initializer="glorot_uniform")
        self.dec = self.add_weight(name="dec", shape=(self.codes, flat), initializer="glorot_uniform")

    def call(self, x):
        z = ops.matmul(ops.reshape(x, (-1, self.steps * self.channels)), self.enc)
        if self.l1:
            self.add_loss(self.l1 * ops.mean(ops.abs(z)))
        return ops.reshape(ops.matmul(z, self.dec), (-1, self.steps, self.channels))

    def get_config(self):
        return {**super().get_config(), "l1": self.l1}
