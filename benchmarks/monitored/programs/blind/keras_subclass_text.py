# metric: text accuracy ([\d.]+) higher
import keras
import numpy as np
from keras import layers

keras.utils.set_random_seed(9)
rng = np.random.default_rng(9)
MAX_LEN, VOCAB = 24, 200


def dataset(count):
    y = rng.integers(0, 3, count)
    x = rng.integers(60, VOCAB, (count, MAX_LEN))
    for row, label in zip(x, y):
        row[rng.choice(MAX_LEN, 5, replace=False)] = rng.integers(1, 20, 5) + 20 * label
    return x, y


x_train, y_train = dataset(1500)
x_test, y_test = dataset(300)


class TextClassifier(keras.Model):
    def __init__(self, dim=24):
        super().__init__()
        self.embedding = layers.Embedding(VOCAB, dim)
        self.conv = layers.Conv1D(32, 3, activation="relu")
        self.pool = layers.GlobalMaxPooling1D()
        self.dropout = layers.Dropout(0.2)
        self.output_layer = layers.Dense(3, activation="softmax")

    def call(self, x, training=None):
        x = self.pool(self.conv(self.embedding(x)))
        return self.output_layer(self.dropout(x, training=training))


model = TextClassifier()
model.compile(optimizer="adam", loss="sparse_categorical_crossentropy", metrics=["accuracy"])
model.optimizer.learning_rate = 0.004
model.fit(x_train, y_train, epochs=5, batch_size=32, validation_data=(x_test, y_test), verbose=2)
print("text accuracy %.4f" % model.evaluate(x_test, y_test, verbose=0)[1])
