import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")

import keras

from glyphs import NAMES, sample
from network import build
from pipeline import SIZE, to_dataset

keras.utils.set_random_seed(11)

x_train, y_train = sample(640, seed=0)
x_val, y_val = sample(160, seed=1)

train_ds = to_dataset(x_train, y_train, training=True)
val_ds = to_dataset(x_val, y_val, training=False).cache().batch(32)

model = build(SIZE, len(NAMES))
model.compile(
    optimizer=keras.optimizers.Adam(2e-3),
    loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    metrics=["accuracy"],
)
callbacks = [
    keras.callbacks.ReduceLROnPlateau(monitor="val_loss", factor=0.5, patience=2),
    keras.callbacks.EarlyStopping(monitor="val_accuracy", patience=4, restore_best_weights=True),
]
history = model.fit(
    train_ds,
    validation_data=val_ds,
    epochs=5,
    callbacks=callbacks,
    verbose=2,
)

best = max(history.history["val_accuracy"])
print(f"best validation accuracy: {best:.3f}")
model.save("signs.keras")
