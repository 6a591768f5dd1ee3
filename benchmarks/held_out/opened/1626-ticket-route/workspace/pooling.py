import keras
from keras import layers, ops


@keras.saving.register_keras_serializable(package="router")
class QueryPooling(layers.Layer):
    """Summarises a sequence with a few learned attention queries."""

    def __init__(self, queries=2, dim=16, dropout=0.0, **kwargs):
        super().__init__(**kwargs)
        self.queries = queries
        self.dim = dim
        self.dropout = dropout
        self.keys = layers.Dense(dim, use_bias=False)
        self.values = layers.Dense(dim)
        self.drop = layers.Dropout(dropout)

    def build(self, input_shape):
        self.bank = self.add_weight(
            name="bank", shape=(self.queries, self.dim), initializer="glorot_uniform")
        self.keys.build(input_shape)
        self.values.build(input_shape)
        super().build(input_shape)

    def call(self, x, training=None):
        scores = ops.einsum("qd,btd->bqt", self.bank, self.keys(x))
        weights = ops.softmax(scores / self.dim**0.5, axis=-1)
        weights = self.drop(weights, training=training)
        pooled = ops.matmul(weights, self.values(x))
        return ops.reshape(pooled, (-1, self.queries * self.dim))

    def compute_output_shape(self, input_shape):
        return (input_shape[0], self.queries * self.dim)

    def get_config(self):
        config = super().get_config()
        config.update({"queries": self.queries, "dropout": self.dropout})
        return config
