import os
os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
import numpy as np
import tensorflow as tf

tf.random.set_seed(0)
rng = np.random.default_rng(0)
x = rng.normal(size=(512, 5)).astype('float32')
w_true = np.array([1.5, -2.0, 0.0, 0.7, 3.0], dtype='float32')
y = (x @ w_true + 0.3 + rng.normal(0, 0.1, 512)).astype('float32')
x[:, 2] = x[:, 2] * 400 + 1500   # living area
x[:, 4] = x[:, 4] * 12 + 1970    # year

ds = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(512, seed=0).batch(32)


class Linear(tf.Module):
    def __init__(self, dim):
        self.w = tf.Variable(tf.zeros([dim]))
        self.b = tf.Variable(0.0)

    def __call__(self, x):
        return tf.linalg.matvec(x, self.w) + self.b


model = Linear(5)
opt = tf.keras.optimizers.SGD(0.1)


@tf.function
def train_step(xb, yb):
    with tf.GradientTape() as tape:
        pred = model(xb)
        loss = tf.reduce_mean(tf.square(pred - yb))
    grads = tape.gradient(loss, model.trainable_variables)
    opt.apply_gradients(zip(grads, model.trainable_variables))
    return loss


for epoch in range(5):
    losses = [train_step(xb, yb).numpy() for xb, yb in ds]
    print('epoch', epoch, 'loss', np.mean(losses))

print('w', model.w.numpy().round(2), 'b', model.b.numpy().round(2))
