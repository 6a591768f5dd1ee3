import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import keras
import numpy as np

from churn_model import compile_model, mlp
from customers import simulate_customers
from preprocess import TablePreprocessor

EPOCHS = 8
BATCH = 64


class EpochLine(keras.callbacks.Callback):
    """One short line per epoch instead of the progress bar."""

    def on_epoch_end(self, epoch, logs=None):
        logs = logs or {}
        keys = ["loss", "accuracy", "auc", "val_loss", "val_accuracy", "val_auc"]
        print(f"epoch {epoch + 1:2d}/{EPOCHS} " + " ".join(f"{k}={logs[k]:.4f}" for k in keys), flush=True)


def main():
    keras.utils.set_random_seed(12)
    train, valid = simulate_customers(1600, 0), simulate_customers(400, 1)
    prep = TablePreprocessor().fit(train)
    x_train, y_train = prep.transform(train), train["churned"].to_numpy(np.float32)
    x_valid, y_valid = prep.transform(valid), valid["churned"].to_numpy(np.float32)
    print(f"train {x_train.shape}, churn rate {y_train.mean():.3f}; valid {x_valid.shape}, {y_valid.mean():.3f}")

    model = compile_model(mlp(x_train.shape[1]), lr=3e-3)
    model.fit(x_train, y_train, validation_data=(x_valid, y_valid), epochs=EPOCHS,
              batch_size=BATCH, verbose=0, callbacks=[EpochLine()])
    prob = model.predict(x_valid, verbose=0).ravel()
    print(f"predicted churn: mean {prob.mean():.3f} min {prob.min():.3f} max {prob.max():.3f}")


if __name__ == "__main__":
    main()
