import keras
from keras import layers, ops


class PositionEmbedding(layers.Layer):
    def __init__(self, length, dim, **kw):
        super().__init__(**kw)
        self.length, self.dim = length, dim

    def build(self, input_shape):
        self.table = self.add_weight(shape=(self.length, self.dim), initializer="random_normal", name="table")

    def call(self, x):
        return x + self.table[: ops.shape(x)[1]]

    def compute_output_shape(self, input_shape):
        return input_shape


def melody_model(seq_len, n_tokens, dim=32, heads=2):
    inp = keras.Input((seq_len,), dtype="int32", name="tokens")
    x = layers.Embedding(n_tokens, dim)(inp)
    x = PositionEmbedding(seq_len, dim)(x)
    a = layers.MultiHeadAttention(heads, dim // heads)(x, x, use_causal_mask=True)
    x = layers.LayerNormalization()(x + a)
    f = layers.Dense(dim)(layers.Dense(2 * dim, activation="gelu")(x))
    x = layers.LayerNormalization()(x + f)
    return keras.Model(inp, layers.Dense(n_tokens)(x), name="melody")
