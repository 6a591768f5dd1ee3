import keras
from keras import ops


@keras.saving.register_keras_serializable(package="activity")
class AttentionPooling(keras.layers.Layer):
    """Weighted mean over the time axis, weights learned from the features."""

    def __init__(self, units, temperature=1.0, **kwargs):
        super().__init__(**kwargs)
        self.units = units
        self.temperature = temperature
        self.hidden = keras.layers.Dense(units, activation="tanh")
        self.score = keras.layers.Dense(1)

    def build(self, input_shape):
        self.hidden.build(input_shape)
        self.score.build(tuple(input_shape[:-1]) + (self.units,))
        super().build(input_shape)

    def call(self, inputs):
        scores = self.score(self.hidden(inputs)) / self.temperature
        weights = ops.softmax(scores, axis=1)
        return ops.sum(weights * inputs, axis=1)

    def compute_output_shape(self, input_shape):
        return (input_shape[0], input_shape[-1])

    def get_config(self):
        config = super().get_config()
        config.update({"temperature": self.temperature})
        return config
