# metric: test_acc=([\d.]+) higher
import numpy as np
import keras
from keras import layers

keras.utils.set_random_seed(12)
rng = np.random.default_rng(12)
N, STEPS = 1200, 20
trend = rng.integers(0, 2, N)
series = rng.normal(0, 0.5, (N, STEPS, 1)) + (trend[:, None, None] * 2 - 1) * np.linspace(0, 1, STEPS)[None, :, None]
split = 1000

model = keras.Sequential([
    layers.Input((STEPS, 1)),
    layers.LSTM(16),
    layers.Dense(16, activation="relu"),
    layers.Dense(2),
])
model.compile(
    optimizer=keras.optimizers.Adam(5e-3),
    loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    metrics=["accuracy"],
)
model.fit(series[:split], trend[:split], epochs=4, batch_size=32, verbose=2)
test_loss, test_acc = model.evaluate(series[split:], trend[split:], verbose=0)
print(f"test_acc={test_acc:.4f}")
