import os
import numpy as np
import keras
from keras import layers, ops


@keras.saving.register_keras_serializable(package="text")
class TokenAndPositionEmbedding(layers.Layer):
    def __init__(self, maxlen, vocab_size, embed_dim, **kwargs):
        super().__init__(**kwargs)
        self.maxlen = maxlen
        self.vocab_size = vocab_size
        self.embed_dim = embed_dim
        self.token_emb = layers.Embedding(vocab_size, embed_dim)
        self.pos_emb = layers.Embedding(maxlen, embed_dim)

    def call(self, x):
        positions = ops.arange(0, ops.shape(x)[-1], 1)
        return self.token_emb(x) + self.pos_emb(positions)

    def get_config(self):
        config = super().get_config()
        config.update({
            "maxlen": self.maxlen,
            "vocab_size": self.vocab_size,
            "embed_dim": self.embed_dim,
        })
        return config


@keras.saving.register_keras_serializable(package="text")
class TransformerBlock(layers.Layer):
    def __init__(self, embed_dim, num_heads, ff_dim, rate=0.1, **kwargs):
        super().__init__(**kwargs)
        self.embed_dim = embed_dim
        self.num_heads = num_heads
        self.ff_dim = ff_dim
        self.rate = rate
        self.att = layers.MultiHeadAttention(num_heads=num_heads, key_dim=embed_dim // num_heads)
        self.ffn = keras.Sequential([layers.Dense(ff_dim, activation="relu"), layers.Dense(embed_dim)])
        self.norm1 = layers.LayerNormalization(epsilon=1e-6)
        self.norm2 = layers.LayerNormalization(epsilon=1e-6)
        self.drop1 = layers.Dropout(rate)
        self.drop2 = layers.Dropout(rate)

    def build(self, input_shape):
        self.att.build(input_shape, input_shape)
        self.ffn.build(input_shape)
        self.norm1.build(input_shape)
        self.norm2.build(input_shape)
        super().build(input_shape)

    def call(self, inputs, training=False):
        attn = self.drop1(self.att(inputs, inputs), training=training)
        out1 = self.norm1(inputs + attn)
        ffn = self.drop2(self.ffn(out1), training=training)
        return self.norm2(out1 + ffn)

    def get_config(self):
        config = super().get_config()
        config.update({
            "embed_dim": self.embed_dim,
            "num_heads": self.num_heads,
            "rate": self.rate,
        })
        return config


vocab_size, maxlen = 200, 24
rng = np.random.default_rng(3)
y_train = rng.integers(0, 2, 512)
x_train = rng.integers(10, vocab_size, (512, maxlen))
x_train[np.arange(512), rng.integers(0, maxlen, 512)] = 1 + y_train
x_train[np.arange(512), rng.integers(0, maxlen, 512)] = 1 + y_train

inputs = layers.Input(shape=(maxlen,))
x = TokenAndPositionEmbedding(maxlen, vocab_size, 16)(inputs)
x = TransformerBlock(embed_dim=16, num_heads=2, ff_dim=32)(x)
x = layers.GlobalAveragePooling1D()(x)
x = layers.Dropout(0.1)(x)
outputs = layers.Dense(2, activation="softmax")(x)

model = keras.Model(inputs=inputs, outputs=outputs)
model.compile(optimizer=keras.optimizers.Adam(3e-3), loss="sparse_categorical_crossentropy", metrics=["accuracy"])
model.fit(x_train, y_train, batch_size=32, epochs=5, validation_split=0.2, verbose=2)

os.makedirs("saved", exist_ok=True)
model.save("saved/transformer_clf.keras")
before = model.predict(x_train[:8], verbose=0)

# ---- later, in the serving script ----
restored = keras.models.load_model("saved/transformer_clf.keras")
after = restored.predict(x_train[:8], verbose=0)
print("max abs diff after reload:", np.abs(before - after).max())
