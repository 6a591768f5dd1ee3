import numpy as np
import tensorflow as tf

tf.random.set_seed(0)
rng = np.random.default_rng(0)

# noisy two-moons like data
n = 256
t = rng.uniform(0, np.pi, n)
label = rng.integers(0, 2, n)
x = np.stack([np.cos(t) * (1 - 2 * label) + label, np.sin(t) * (1 - 2 * label) + 0.5 * label], axis=1)
x = (x + rng.normal(0, 0.1, x.shape)).astype("float32")
y = label.astype("float32")[:, None]

train_ds = tf.data.Dataset.from_tensor_slices((x[:200], y[:200])).shuffle(200, seed=0).batch(32)
test_ds = tf.data.Dataset.from_tensor_slices((x[200:], y[200:])).batch(32)

model = tf.keras.Sequential([
    tf.keras.Input(shape=(2,)),
    tf.keras.layers.Dense(32, activation="relu"),
    tf.keras.layers.Dense(32, activation="relu"),
    tf.keras.layers.Dense(1),
])
optimizer = tf.keras.optimizers.Adam(1e-2)
loss_object = tf.keras.losses.BinaryCrossentropy(from_logits=True)

train_loss = tf.keras.metrics.Mean(name="train_loss")
test_acc = tf.keras.metrics.BinaryAccuracy(threshold=0.0, name="test_acc")


def train_step(features, labels):
    with tf.GradientTape() as tape:
        predictions = model(features, training=True)
    loss = loss_object(labels, predictions)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    train_loss(loss)


def test_step(features, labels):
    predictions = model(features, training=False)
    test_acc.update_state(labels, predictions)


EPOCHS = 5
for epoch in range(EPOCHS):
    train_loss.reset_state()
    test_acc.reset_state()
    for features, labels in train_ds:
        train_step(features, labels)
    for features, labels in test_ds:
        test_step(features, labels)
    print(f"Epoch {epoch + 1}, loss: {train_loss.result():.4f}, test accuracy: {test_acc.result():.3f}")
