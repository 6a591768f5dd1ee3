import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import keras
from keras import layers, ops

keras.utils.set_random_seed(1)


@keras.saving.register_keras_serializable(package="my")
class AttentionPool(layers.Layer):
    """Weighted mean over the time axis, the weights come from a small MLP."""

    def __init__(self, units, temperature=1.0, **kwargs):
        super().__init__(**kwargs)
        self.units = units
        self.temperature = temperature
        self.hidden = layers.Dense(units, activation="tanh")
        self.score = layers.Dense(1)

    def build(self, input_shape):
        self.hidden.build(input_shape)
        self.score.build(tuple(input_shape[:-1]) + (self.units,))
        super().build(input_shape)

    def call(self, x):
        s = self.score(self.hidden(x)) / self.temperature
        w = ops.softmax(s, axis=1)
        return ops.sum(w * x, axis=1)

    def compute_output_shape(self, input_shape):
        return (input_shape[0], input_shape[-1])

    def get_config(self):
        config = super().get_config()
        config.update({"temperature": self.temperature})
        return config


def make_data(n, steps=30, vocab=50):
    rng = np.random.default_rng(3)
    x = rng.integers(2, vocab, size=(n, steps))
    y = (rng.random(n) > 0.5).astype("float32")
    pos = rng.integers(0, steps, size=n)
    x[np.arange(n), pos] = np.where(y == 1, 1, 0)
    return x, y


def build_model(vocab=50, steps=30):
    inp = keras.Input(shape=(steps,), dtype="int32")
    h = layers.Embedding(vocab, 16)(inp)
    h = layers.Bidirectional(layers.GRU(8, return_sequences=True))(h)
    h = AttentionPool(12, temperature=0.5, name="pool")(h)
    out = layers.Dense(1, activation="sigmoid")(h)
    return keras.Model(inp, out)


x, y = make_data(800)
model = build_model()
model.compile(optimizer=keras.optimizers.Adam(5e-3), loss="binary_crossentropy", metrics=["accuracy"])
model.fit(x[:600], y[:600], epochs=2, batch_size=32, validation_data=(x[600:], y[600:]), verbose=2)

os.makedirs("out", exist_ok=True)
model.save("out/attn.keras")
print("saved")

restored = keras.models.load_model("out/attn.keras")
a = model.predict(x[600:], verbose=0)
b = restored.predict(x[600:], verbose=0)
print("max difference after reload:", float(np.abs(a - b).max()))
