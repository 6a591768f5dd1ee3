import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import keras
from keras import layers

from dataset import Panel


def build(shape, n_speakers):
    inp = keras.Input(shape)
    x = layers.Conv1D(32, 5, activation="relu", padding="same")(inp)
    x = layers.Conv1D(32, 3, activation="relu", padding="same", dilation_rate=2)(x)
    x = layers.Concatenate()([layers.GlobalAveragePooling1D()(x), layers.GlobalMaxPooling1D()(x)])
    x = layers.Dropout(0.2)(x)
    return keras.Model(inp, layers.Dense(n_speakers)(x), name="speaker_id")


class Line(keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        if (epoch + 1) % 5 == 0:
            print(f"epoch {epoch + 1:2d} " + "  ".join(f"{k} {v:.3f}" for k, v in logs.items()))


def main():
    keras.utils.set_random_seed(12)
    panel = Panel().standardise()
    x, y = panel.train
    print("train", x.shape, "dev", panel.dev[0].shape)
    model = build(x.shape[1:], len(panel.ids))
    model.compile(optimizer=keras.optimizers.Adam(5e-3),
                  loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
                  metrics=["accuracy"])
    model.fit(x, y, validation_data=panel.dev, epochs=30, batch_size=16, verbose=0, callbacks=[Line()])
    model.save("work/speaker_id.keras")


if __name__ == "__main__":
    main()
