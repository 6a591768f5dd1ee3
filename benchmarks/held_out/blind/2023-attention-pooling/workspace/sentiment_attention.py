"""
Sentiment classification, BiLSTM + attention pooling.
Toy data here so that everybody can run it, the real thing is ~40k product reviews.
"""
import numpy as np
import tensorflow as tf
from tensorflow.keras import layers, Model
from tensorflow.keras.optimizers import Adam

VOCAB_SIZE = 500
MAX_LEN = 40
EMB_DIM = 24
LSTM_UNITS = 16


class AttentionPooling(layers.Layer):
    """score = v^T tanh(W h + b), softmax over time, weighted sum"""

    def __init__(self, attention_dim=20, **kwargs):
        super().__init__(**kwargs)
        self.attention_dim = attention_dim

    def build(self, input_shape):
        self.W = self.add_weight(
            name="att_W",
            shape=(input_shape[1], self.attention_dim),
            initializer="glorot_uniform",
            trainable=True,
        )
        self.b = self.add_weight(
            name="att_b", shape=(self.attention_dim,), initializer="zeros", trainable=True
        )
        self.v = self.add_weight(
            name="att_v", shape=(self.attention_dim, 1), initializer="glorot_uniform", trainable=True
        )
        super().build(input_shape)

    def call(self, h):
        uit = tf.tanh(tf.matmul(h, self.W) + self.b)
        ait = tf.matmul(uit, self.v)
        alpha = tf.nn.softmax(ait, axis=1)
        return tf.reduce_sum(alpha * h, axis=1)

    def compute_output_shape(self, input_shape):
        return (input_shape[0], input_shape[-1])

    def get_config(self):
        config = super().get_config()
        config.update({"attention_dim": self.attention_dim})
        return config


def fake_reviews(n, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, size=n)
    x = rng.integers(20, VOCAB_SIZE, size=(n, MAX_LEN))
    # tokens 1..9 are "negative" words, 10..19 "positive" ones
    for i in range(n):
        pos = rng.choice(MAX_LEN, size=4, replace=False)
        x[i, pos] = rng.integers(1, 10, size=4) + 10 * y[i]
    return x.astype("int32"), y.astype("float32")


def build_model():
    inp = layers.Input(shape=(MAX_LEN,), dtype="int32")
    x = layers.Embedding(VOCAB_SIZE, EMB_DIM)(inp)
    x = layers.SpatialDropout1D(0.1)(x)
    x = layers.Bidirectional(layers.LSTM(LSTM_UNITS, return_sequences=True))(x)
    x = AttentionPooling(attention_dim=20)(x)
    x = layers.Dense(16, activation="relu")(x)
    out = layers.Dense(1, activation="sigmoid")(x)
    return Model(inp, out)


x_train, y_train = fake_reviews(600)
x_test, y_test = fake_reviews(200, seed=1)
print(x_train.shape, y_train.shape)

model = build_model()
model.summary()
model.compile(loss="binary_crossentropy", optimizer=Adam(5e-3), metrics=["accuracy"])
model.fit(x_train, y_train, batch_size=64, epochs=4, validation_split=0.1, verbose=2)

score = model.evaluate(x_test, y_test, verbose=0)
print("Test loss:", score[0])
print("Test accuracy:", score[1])
