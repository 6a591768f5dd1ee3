import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import keras
from keras import layers

keras.utils.set_random_seed(11)

EPOCHS = 4
names = ["oak", "maple", "birch", "willow"]


class BestWeights(keras.callbacks.Callback):
    """Keeps the best weights in memory and halves the lr when nothing improves."""

    def __init__(self, patience=1):
        super().__init__()
        self.patience = patience

    def on_train_begin(self, logs=None):
        self.best = np.inf
        self.weights = None
        self.wait = 0

    def on_epoch_end(self, epoch, logs=None):
        current = logs["val_loss"]
        if current < self.best:
            self.best = current
            self.weights = self.model.get_weights()
            self.wait = 0
            return
        self.wait += 1
        if self.wait > self.patience:
            lr = float(self.model.optimizer.learning_rate)
            self.model.optimizer.learning_rate = lr * 0.5
            print(f"\nepoch {epoch}: lr set to {lr * 0.5:g}")

    def on_train_end(self, logs=None):
        if self.weights is not None:
            self.model.set_weights(self.weights)


def leaves(n, seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, len(names), n)
    x = rng.normal(0.5, 0.1, (n, 24, 24, 3))
    for i, c in enumerate(y):
        x[i, 4 + 4 * c : 8 + 4 * c, :, 1] += 0.4
    return x.astype("float32"), y


x, y = leaves(500, 0)
x_test, y_test = leaves(100, 1)
x_tr, y_tr = x[:400], y[:400]
x_va, y_va = x[400:], y[400:]

model = keras.Sequential([
    layers.Input((24, 24, 3)),
    layers.RandomFlip("horizontal"),
    layers.Conv2D(8, 3, activation="relu"),
    layers.MaxPooling2D(),
    layers.Conv2D(16, 3, activation="relu"),
    layers.Flatten(),
    layers.Dense(len(names), activation="softmax"),
])
model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])

history = model.fit(x_tr, y_tr, epochs=EPOCHS, callbacks=[BestWeights()], verbose=2)

model.save("leaf_model.keras")
loss, acc = model.evaluate(x_test, y_test, verbose=0)
print(f"test loss {loss:.3f} acc {acc:.3f}")
