import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow as tf

tf.random.set_seed(0)
rng = np.random.default_rng(0)

# regression with a heavy tail, so a quantile loss per output
x = rng.uniform(-2, 2, size=(1000, 1)).astype("float32")
y = (np.sin(2 * x) + rng.gamma(1.0, 0.3, size=x.shape)).astype("float32")
train_ds = tf.data.Dataset.from_tensor_slices((x[:800], y[:800])).shuffle(800, seed=0).batch(50)
val_ds = tf.data.Dataset.from_tensor_slices((x[800:], y[800:])).batch(200)

QUANTILES = tf.constant([0.1, 0.5, 0.9])


def build():
    inputs = tf.keras.Input(shape=(1,))
    h = tf.keras.layers.Dense(32, activation="tanh")(inputs)
    h = tf.keras.layers.Dense(32, activation="tanh")(h)
    return tf.keras.Model(inputs, tf.keras.layers.Dense(3)(h))


def pinball(y_true, y_pred):
    err = y_true - y_pred
    return tf.reduce_mean(tf.maximum(QUANTILES * err, (QUANTILES - 1) * err))


model = build()
optimizer = tf.keras.optimizers.Adam(1e-2)
train_loss = tf.keras.metrics.Mean()
coverage = tf.keras.metrics.Mean()


def train_step(xb, yb):
    with tf.GradientTape() as tape:
        pred = model.predict(xb, verbose=0)
        loss = pinball(yb, pred)
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
    train_loss.update_state(loss)


for epoch in range(3):
    train_loss.reset_state()
    coverage.reset_state()
    for xb, yb in train_ds:
        train_step(xb, yb)
    for xb, yb in val_ds:
        q = model(xb, training=False)
        inside = (yb >= q[:, :1]) & (yb <= q[:, 2:])
        coverage.update_state(tf.cast(inside, tf.float32))
    print(
        f"epoch {epoch} pinball {train_loss.result().numpy():.4f} "
        f"coverage {coverage.result().numpy():.2f}"
    )
