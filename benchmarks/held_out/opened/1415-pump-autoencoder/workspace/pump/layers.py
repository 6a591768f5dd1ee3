import keras
from keras import ops


@keras.saving.register_keras_serializable(package="pump")
class RandomChannelDrop(keras.layers.Layer):
    """Drops whole sensor channels during training (a broken probe)."""

    def __init__(self, rate, seed=None, **kwargs):
        super().__init__(**kwargs)
        self.rate = rate
        self.seed = seed
        self.gen = keras.random.SeedGenerator(seed)

    def call(self, x, training=False):
        if not training:
            return x
        shape = ops.shape(x)
        keep = keras.random.uniform((shape[0], 1, shape[2]), seed=self.gen) >= self.rate
        return x * ops.cast(keep, x.dtype)

    def get_config(self):
        return {**super().get_config(), "rate": self.rate, "seed": self.seed}


@keras.saving.register_keras_serializable(package="pump")
class Standardize(keras.layers.Layer):
    """Fixed (x - mean) / std with constants in the config."""

    def __init__(self, mean, std, **kwargs):
        super().__init__(**kwargs)
        self.mean = [float(m) for m in mean]
        self.std = [float(s) for s in std]

    def call(self, x):
        return (x - ops.array(self.mean, dtype=x.dtype)) / ops.array(self.std, dtype=x.dtype)

    def get_config(self):
        config = super().get_config()
        config.update({"mean": self.mean})
        return config
