import keras
from keras import layers


@keras.saving.register_keras_serializable("load")
class CausalBlock(layers.Layer):
    def __init__(self, filters, dilation, **kwargs):
        super().__init__(**kwargs)
        self.filters, self.dilation = filters, dilation
        self.conv = layers.Conv1D(filters, 3, padding="causal", dilation_rate=dilation, activation="relu")
        self.norm = layers.LayerNormalization()
        self.skip = layers.Dense(filters)

    def build(self, shape):
        self.conv.build(shape)
        self.norm.build((*shape[:-1], self.filters))
        self.skip.build(shape)
        super().build(shape)

    def call(self, x):
        return self.norm(self.conv(x) + self.skip(x))

    def get_config(self):
        return {**super().get_config(), "filters": self.filters, "dilation": self.dilation}


def build_model(cfg):
    inputs = keras.Input((cfg["lookback"], len(cfg["features"])), name="history")
    x = inputs
    for k in range(4):
        x = CausalBlock(cfg["filters"], 2 ** k, name=f"block{k}")(x)
    x = layers.Flatten()(x)
    x = layers.Dropout(0.1)(x)
    return keras.Model(inputs, layers.Dense(cfg["horizon"], name="forecast")(x))
