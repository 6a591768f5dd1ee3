import os

os.environ["KERAS_BACKEND"] = "torch"

import keras
import yaml
from keras import layers, regularizers
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import train_test_split

from transactions import features, generate


class FraudNet(keras.Model):
    """Subclassed model built from params.yaml"""

    def __init__(self, hidden, activation, l2, output, **kw):
        super().__init__(**kw)
        reg = regularizers.L2(l2)
        self.blocks = [layers.Dense(h, activation=activation, kernel_regularizer=reg) for h in hidden]
        self.drop = layers.Dropout(0.1)
        self.out = layers.Dense(**output)

    def call(self, x, training=False):
        for b in self.blocks:
            x = self.drop(b(x), training=training)
        return self.out(x)


class BalancedAccuracy(keras.callbacks.Callback):
    def __init__(self, x, y):
        super().__init__()
        self.x, self.y = x, y

    def on_epoch_end(self, epoch, logs=None):
        p = self.model.predict(self.x, verbose=0)[:, 0] > 0.5
        print(f"epoch {epoch + 1}: loss {logs['loss']:.4f} val_loss {logs['val_loss']:.4f} "
              f"balanced acc {balanced_accuracy_score(self.y, p):.3f}")


def main():
    with open("params.yaml") as fh:
        p = yaml.safe_load(fh)
    keras.utils.set_random_seed(p["data"]["seed"])
    df = generate(**p["data"])
    x, y = features(df)
    xtr, xte, ytr, yte = train_test_split(x.to_numpy(), y.to_numpy(), test_size=0.25,
                                          stratify=y, random_state=0)
    print("train", xtr.shape, "fraud share %.2f" % ytr.mean())
    model = FraudNet(**p["network"])
    fit = p["fit"]
    model.compile(optimizer=fit["optimizer"], loss="binary_crossentropy")
    model.fit(xtr, ytr, validation_data=(xte, yte), epochs=fit["epochs"],
              batch_size=fit["batch_size"], verbose=0, callbacks=[BalancedAccuracy(xte, yte)])


if __name__ == "__main__":
    main()
