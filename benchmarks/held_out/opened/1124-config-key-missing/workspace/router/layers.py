import keras
from keras import ops


@keras.saving.register_keras_serializable("router")
class TokenAndPosition(keras.layers.Layer):
    def __init__(self, vocab, length, dim, **kwargs):
        super().__init__(**kwargs)
        self.vocab, self.length, self.dim = vocab, length, dim
        self.supports_masking = True
        self.tok = keras.layers.Embedding(vocab, dim, mask_zero=True)
        self.pos = keras.layers.Embedding(length, dim)

    def build(self, input_shape):
        self.tok.build(input_shape)
        self.pos.build((self.length,))

    def compute_mask(self, ids, mask=None):
        return self.tok.compute_mask(ids)

    def call(self, ids):
        return self.tok(ids) + self.pos(ops.arange(self.length))

    def get_config(self):
        return {**super().get_config(), "vocab": self.vocab, "length": self.length, "dim": self.dim}


@keras.saving.register_keras_serializable("router")
class EncoderBlock(keras.layers.Layer):
    """Pre-norm transformer block."""

    def __init__(self, heads, ff_dim=64, rate=0.0, **kwargs):
        super().__init__(**kwargs)
        self.heads, self.ff_dim, self.rate = heads, ff_dim, rate
        self.supports_masking = True

    def build(self, input_shape):
        dim = input_shape[-1]
        self.norm1 = keras.layers.LayerNormalization(epsilon=1e-6)
        self.norm2 = keras.layers.LayerNormalization(epsilon=1e-6)
        self.att = keras.layers.MultiHeadAttention(self.heads, dim // self.heads, dropout=self.rate)
        self.up = keras.layers.Dense(self.ff_dim, activation="gelu")
        self.down = keras.layers.Dense(dim)
        self.drop = keras.layers.Dropout(self.rate)
        self.norm1.build(input_shape)
        self.norm2.build(input_shape)
        self.att.build(input_shape, input_shape)
        self.up.build(input_shape)
        self.down.build((*input_shape[:-1], self.ff_dim))

    def call(self, x, mask=None, training=False):
        h = self.norm1(x)
        att_mask = None if mask is None else mask[:, None, :]
        x = x + self.att(h, h, attention_mask=att_mask, training=training)
        h = self.down(self.up(self.norm2(x)))
        return x + self.drop(h, training=training)

    def get_config(self):
        config = super().get_config()
        config.update(
            heads=self.heads,
            rate=self.rate,
        )
        return config


@keras.saving.register_keras_serializable("router")
class WarmupCosine(keras.optimizers.schedules.LearningRateSchedule):
    def __init__(self, peak, warmup, total):
        self.peak, self.warmup, self.total = peak, warmup, total

    def __call__(self, step):
        step = ops.cast(step, "float32")
        up = step / self.warmup
        frac = ops.clip((step - self.warmup) / (self.total - self.warmup), 0.0, 1.0)
        return self.peak * ops.where(step < self.warmup, up, 0.5 * (1 + ops.cos(3.14159265 * frac)))

    def get_config(self):
        return {"peak": self.peak, "warmup": self.warmup, "total": self.total}
