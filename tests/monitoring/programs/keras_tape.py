"""A loop of TensorFlow's own, with a gradient tape and an optimizer of Keras."""

import keras
import numpy as np
import tensorflow as tf

keras.utils.set_random_seed(2)
x = np.random.rand(160, 4).astype("float32")
y = x.sum(axis=1, keepdims=True)
model = keras.Sequential([keras.layers.Dense(8, activation="relu"), keras.layers.Dense(1)])
model.build((None, 4))
optimizer = keras.optimizers.SGD(0.05)
for epoch in range(3):
    for at in range(0, 160, 20):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((model(x[at : at + 20]) - y[at : at + 20]) ** 2)
        gradients = tape.gradient(loss, model.trainable_weights)
        optimizer.apply_gradients(zip(gradients, model.trainable_weights))
    print(epoch, repr(float(loss)))
