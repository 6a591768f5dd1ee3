import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import keras
import numpy as np

from cellar import FEATURES, N_BANDS, arrays, tastings
from nets import band_classifier

keras.utils.set_random_seed(5)

df = tastings()
x, y, edges = arrays(df)
order = np.random.permutation(len(x))
cut = int(0.8 * len(x))
tr, te = order[:cut], order[cut:]
print("band edges:", np.round(edges, 2))
print("train / test:", len(tr), len(te))

model = band_classifier(len(FEATURES), N_BANDS, x[tr])
model.compile(
    optimizer=keras.optimizers.Adam(5e-3),
    loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    metrics=["accuracy"],
)
history = model.fit(x[tr], y[tr], batch_size=32, epochs=6, validation_data=(x[te], y[te]), verbose=2)

pred = model.predict(x[te], verbose=0).argmax(1)
off = np.abs(pred - y[te])
print(f"exact {np.mean(off == 0):.3f}, within one band {np.mean(off <= 1):.3f}")
print("best epoch:", int(np.argmin(history.history["val_loss"])) + 1)
