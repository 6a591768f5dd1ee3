# metric: holdout accuracy ([\d.]+) higher
import keras
from keras import layers, ops
from sklearn.datasets import make_blobs
from sklearn.model_selection import train_test_split

keras.utils.set_random_seed(31)
X, y = make_blobs(n_samples=2000, centers=5, n_features=6, cluster_std=2.5, random_state=31)
X = (X - X.mean(axis=0)) / X.std(axis=0)
X_train, X_val, y_train, y_val = train_test_split(X, y, test_size=0.25, random_state=31)


class Blobs(keras.Model):
    def __init__(self, units, classes):
        super().__init__()
        self.dense1 = layers.Dense(units, activation="relu")
        self.norm = layers.BatchNormalization()
        self.dense2 = layers.Dense(units, activation="relu")
        self.classifier = layers.Dense(classes, activation="softmax")

    def call(self, inputs, training=False):
        x = self.dense1(inputs)
        x = self.norm(x, training=training)
        x = self.dense2(x)
        return self.classifier(x)


model = Blobs(32, 5)
model.compile(optimizer=keras.optimizers.Adam(1e-3), loss="sparse_categorical_crossentropy", metrics=["accuracy"])
history = model.fit(X_train, y_train, validation_data=(X_val, y_val), batch_size=32, epochs=6, verbose=2)
print(f"holdout accuracy {history.history['val_accuracy'][-1]:.4f}")
