import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
os.environ["KERAS_BACKEND"] = "tensorflow"
import numpy as np
import keras
from keras import layers, ops


class AttentionPool(layers.Layer):
    def __init__(self, dim, **kwargs):
        super().__init__(**kwargs)
        self.units = dim

    def build(self, input_shape):
        self.W = self.add_weight(shape=(input_shape[-1], self.units), name="W")
        self.v = self.add_weight(shape=(self.units, 1), name="v")

    def call(self, x):
        score = ops.matmul(ops.tanh(ops.matmul(x, self.W)), self.v)
        weights = ops.softmax(score, axis=1)
        return ops.sum(weights * x, axis=1)

    def get_config(self):
        config = super().get_config()
        config.update({"units": self.units})
        return config


def get_data(n):
    # heartbeats with / without an extra spike
    x = np.random.normal(0, 0.3, size=(n, 50, 1))
    y = np.random.randint(0, 2, size=(n,))
    for i in range(n):
        x[i, ::10] += 2
        if y[i] == 1:
            x[i, np.random.randint(0, 49)] -= 3
    return x.astype("float32"), y


keras.utils.set_random_seed(3)
x_train, y_train = get_data(500)
x_test, y_test = get_data(100)

inputs = keras.Input(shape=(50, 1))
h = layers.Conv1D(16, 3, activation="relu")(inputs)
h = AttentionPool(12, name="attention")(h)
outputs = layers.Dense(2, activation="softmax")(h)
model = keras.Model(inputs, outputs)
model.compile(optimizer=keras.optimizers.Adam(0.01), loss="sparse_categorical_crossentropy", metrics=["accuracy"])

checkpoint = keras.callbacks.ModelCheckpoint("ecg.keras", monitor="val_loss", save_best_only=True)
model.fit(x_train, y_train, validation_data=(x_test, y_test), epochs=4, callbacks=[checkpoint], verbose=2)

# load the best model back
best = keras.models.load_model("ecg.keras", custom_objects={"AttentionPool": AttentionPool})
print("best model:", best.evaluate(x_test, y_test, verbose=0))
print(best.predict(x_test[:3], verbose=0))
