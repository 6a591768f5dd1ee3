import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

tf.random.set_seed(5)
np.random.seed(5)

# small striped "images"
n, size = 256, 12
phase = np.random.rand(n, 1, 1) * 6.28
freq = np.random.randint(1, 4, size=(n, 1, 1))
grid = np.linspace(0, 3.14, size)[None, :, None] + np.zeros((1, 1, size))
clean = (0.5 + 0.5 * np.sin(freq * grid + phase)).astype("float32")[..., None]
noisy = np.clip(clean + 0.2 * np.random.randn(*clean.shape), 0, 1).astype("float32")
print(clean.shape, noisy.shape)

dataset = tf.data.Dataset.from_tensor_slices((noisy, clean)).shuffle(n).batch(32)


class DenoisingAE(tf.keras.Model):
    def __init__(self, code=8):
        super().__init__()
        self.encoder = tf.keras.Sequential([
            layers.Conv2D(8, 3, strides=2, padding="same", activation="relu"),
            layers.Flatten(),
            layers.Dense(code),
        ])
        self.decoder = tf.keras.Sequential([
            layers.Dense(6 * 6 * 8, activation="relu"),
            layers.Reshape((6, 6, 8)),
            layers.Conv2DTranspose(1, 3, strides=2, padding="same", activation="sigmoid"),
        ])

    def call(self, x):
        return self.decoder(self.encoder(x))


model = DenoisingAE()
optimizer = tf.keras.optimizers.Adam(1e-2)
mse = tf.keras.losses.MeanSquaredError()
loss_log = []


@tf.function
def train_step(x, y):
    with tf.GradientTape() as tape:
        rec = model(x, training=True)
        loss = mse(y, rec)
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
    loss_log.append(loss.numpy())
    return loss


for epoch in range(10):
    for step, (xb, yb) in enumerate(dataset):
        loss = train_step(xb, yb)
    print("epoch %d, loss %.4f" % (epoch + 1, np.mean(loss_log[-8:])))

rec = model(noisy[:16]).numpy()
print("noise level", np.square(noisy[:16] - clean[:16]).mean(), "after AE", np.square(rec - clean[:16]).mean())
