import keras
from keras import ops


@keras.saving.register_keras_serializable("gesture")
class AttentionPool(keras.layers.Layer):
    """Weighted mean over time with a learned score per step."""

    def __init__(self, hidden, temperature=1.0, **kwargs):
        super().__init__(**kwargs)
        self.hidden = hidden
        self.temperature = temperature
        self.project = keras.layers.Dense(hidden, activation="tanh")
        self.score = keras.layers.Dense(1)

    def build(self, input_shape):
        self.project.build(input_shape)
        self.score.build((*input_shape[:-1], self.hidden))

    def call(self, x):
        weights = ops.softmax(self.score(self.project(x)) / self.temperature, axis=1)
        return ops.sum(weights * x, axis=1)

    def get_config(self):
        config = super().get_config()
        config.update({"temperature": self.temperature})
        return config
