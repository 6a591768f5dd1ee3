import tensorflow as tf
import numpy as np

x = np.random.rand(128, 10).astype(np.float32)
y = np.random.randint(0, 2, (128, 1)).astype(np.int32)

model = tf.keras.Sequential([
    tf.keras.layers.Dense(16, activation='relu'),
    tf.keras.layers.Dense(1, activation='sigmoid'),
])
optimizer = tf.keras.optimizers.SGD(0.1)


def dice_bce(y_true, y_pred, smooth=1.0, alpha=0.5):
    inter = tf.reduce_sum(y_true * y_pred)
    union = tf.reduce_sum(y_true) + tf.reduce_sum(y_pred)
    dice = 1 - (2 * inter + smooth) / (union + smooth)
    bce = tf.reduce_mean(tf.keras.losses.binary_crossentropy(y_true, y_pred))
    return alpha * dice + (1 - alpha) * bce


@tf.function
def train_step(xb, yb):
    with tf.GradientTape() as tape:
        pred = model(xb, training=True)
        loss = dice_bce(yb, pred)
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
    return loss


ds = tf.data.Dataset.from_tensor_slices((x, y)).batch(32)
for epoch in range(2):
    for xb, yb in ds:
        loss = train_step(xb, yb)
    print('epoch', epoch, 'loss', float(loss))
