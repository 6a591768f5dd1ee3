import sys

import keras
import numpy as np

from kiln.autoencoder import build
from kiln.curves import batch_of_curves

path = sys.argv[1]
keras.utils.set_random_seed(8)
x, _ = batch_of_curves(320, seed=1)
model = build()
model.compile(keras.optimizers.Adam(5e-3), "mse")
hist = model.fit(x, x, batch_size=32, epochs=6, validation_split=0.2, verbose=0)
err = np.mean((model.predict(x, verbose=0) - x) ** 2, axis=(1, 2))
print(f"val mse {hist.history['val_loss'][-1]:.5f}, 99% level {np.quantile(err, 0.99):.5f}")
model.save(path)
print("saved", path)
