import json
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import keras

from model import churn_model
from prepare import build_dataset


def main():
    keras.utils.set_random_seed(21)
    with open("settings.json") as f:
        settings = json.load(f)

    features, target = build_dataset(settings)
    print(f"features per customer: {features.shape[1]}, churn rate {target.mean():.3f}")

    model = churn_model(features.shape[1], settings["learning_rate"])
    stop = keras.callbacks.EarlyStopping("val_auc", mode="max", patience=3, restore_best_weights=True)
    history = model.fit(
        features,
        target,
        validation_split=settings["validation_split"],
        epochs=settings["epochs"],
        batch_size=settings["batch_size"],
        class_weight={0: 1.0, 1: float((1 - target.mean()) / target.mean())},
        callbacks=[stop],
        verbose=2,
    )
    print(f"best validation AUC {max(history.history['val_auc']):.3f}")
    model.save("churn.keras")


if __name__ == "__main__":
    main()
