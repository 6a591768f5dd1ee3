"""Search the width and the learning rate of a small network: python search/tune.py --trials 3"""
import argparse

import keras
import keras_tuner
import numpy as np
from data import load_waves


class WaveModel(keras_tuner.HyperModel):
    def __init__(self, length, classes):
        super().__init__(name="wave_model")
        self.length = length
        self.classes = classes

    def build(self, hp):
        inputs = keras.Input(shape=(self.length, 1))
        x = inputs
        for i in range(hp.Int("blocks", 1, 2)):
            x = keras.layers.Conv1D(
                hp.Int(f"filters_{i}", 4, 12, step=4), hp.Choice("kernel", [3, 5]), padding="same"
            )(x)
            x = keras.layers.BatchNormalization()(x)
            x = keras.layers.Activation(hp.Choice("activation", ["relu", "tanh"]))(x)
            x = keras.layers.MaxPooling1D(2)(x)
        x = keras.layers.GlobalAveragePooling1D()(x)
        outputs = keras.layers.Dense(self.classes, activation="softmax")(x)
        model = keras.Model(inputs, outputs)
        model.compile(
            optimizer=keras.optimizers.Adam(hp.Float("lr", 1e-3, 3e-2, sampling="log")),
            loss="sparse_categorical_crossentropy",
            metrics=["accuracy"],
        )
        return model

    def fit(self, hp, model, *args, **kwargs):
        return model.fit(*args, batch_size=hp.Choice("batch_size", [16, 32]), **kwargs)


TUNERS = {
    "random": keras_tuner.RandomSearch,
    "bayes": keras_tuner.BayesianOptimization,
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tuner", default="random", choices=sorted(TUNERS))
    parser.add_argument("--trials", type=int, default=2)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--length", type=int, default=24)
    args = parser.parse_args()

    (x_train, y_train), (x_val, y_val) = load_waves(args.length)
    tuner = TUNERS[args.tuner](
        WaveModel(args.length, classes=int(y_train.max()) + 1),
        objective=keras_tuner.Objective("val_accuracy", direction="max"),
        max_trials=args.trials,
        directory="runs",
        project_name="waves",
        overwrite=True,
    )
    tuner.search(
        x_train, y_train, epochs=args.epochs, validation_data=(x_val, y_val), verbose=0,
        callbacks=[keras.callbacks.EarlyStopping("val_loss", patience=2)],
    )
    best = tuner.get_best_hyperparameters(num_trials=1)[0]
    print("best", best.values)
    model = tuner.hypermodel.build(best)
    history = model.fit(x_train, y_train, validation_data=(x_val, y_val), epochs=3, verbose=2)
    print(f"accuracy {np.max(history.history['val_accuracy']):.4f}")


if __name__ == "__main__":
    main()
