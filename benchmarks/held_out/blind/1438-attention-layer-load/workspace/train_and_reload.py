import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers


@keras.utils.register_keras_serializable(package="custom")
class AttentionPool(layers.Layer):
    """Additive attention over the time steps of an RNN."""

    def __init__(self, units, return_weights=False, **kwargs):
        super().__init__(**kwargs)
        self.units = units
        self.return_weights = return_weights

    def build(self, input_shape):
        self.W = self.add_weight(name="W", shape=(input_shape[-1], self.units), initializer="glorot_uniform")
        self.b = self.add_weight(name="b", shape=(self.units,), initializer="zeros")
        self.v = self.add_weight(name="v", shape=(self.units, 1), initializer="glorot_uniform")
        super().build(input_shape)

    def call(self, inputs):
        score = tf.matmul(tf.tanh(tf.matmul(inputs, self.W) + self.b), self.v)
        weights = tf.nn.softmax(score, axis=1)
        context = tf.reduce_sum(weights * inputs, axis=1)
        if self.return_weights:
            return context, weights
        return context

    def get_config(self):
        config = super().get_config()
        config.update({"return_weights": self.return_weights})
        return config


def toy_data(n=300, steps=12, vocab=40, seed=1):
    rng = np.random.default_rng(seed)
    x = rng.integers(1, vocab, size=(n, steps))
    y = (np.any(x == 7, axis=1) | np.any(x == 21, axis=1)).astype("float32")
    return x, y


def build_model(vocab=40, steps=12):
    inp = keras.Input(shape=(steps,), dtype="int32")
    h = layers.Embedding(vocab, 16)(inp)
    h = layers.LSTM(16, return_sequences=True)(h)
    h = AttentionPool(8, name="att")(h)
    h = layers.Dense(8, activation="relu")(h)
    out = layers.Dense(1, activation="sigmoid")(h)
    return keras.Model(inp, out)


if __name__ == "__main__":
    keras.utils.set_random_seed(0)
    x, y = toy_data()
    model = build_model()
    model.compile(optimizer="adam", loss="binary_crossentropy", metrics=["accuracy"])
    model.fit(x[:240], y[:240], epochs=2, batch_size=32, verbose=2)
    before = model.predict(x[240:], verbose=0)
    model.save("attention.keras")
    print("saved")

    restored = keras.models.load_model("attention.keras")
    after = restored.predict(x[240:], verbose=0)
    print("max difference", float(np.abs(before - after).max()))
