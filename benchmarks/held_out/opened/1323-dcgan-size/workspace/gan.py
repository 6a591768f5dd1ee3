import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers
import numpy as np

latent_dim = 32
batch_size = 8
START = 8

def make_discriminator():
    return keras.Sequential([
        keras.Input(shape=(28, 28, 1)),
        layers.Conv2D(16, 3, strides=2, padding="same"),
        layers.LeakyReLU(),
        layers.Conv2D(32, 3, strides=2, padding="same"),
        layers.LeakyReLU(),
        layers.GlobalMaxPooling2D(),
        layers.Dense(1),
    ], name="discriminator")

def make_generator():
    return keras.Sequential([
        keras.Input(shape=(latent_dim,)),
        layers.Dense(START * START * 32),
        layers.LeakyReLU(),
        layers.Reshape((START, START, 32)),
        layers.Conv2DTranspose(32, 4, strides=2, padding="same"),
        layers.LeakyReLU(),
        layers.Conv2DTranspose(32, 4, strides=2, padding="same"),
        layers.LeakyReLU(),
        layers.Conv2D(1, 7, padding="same", activation="sigmoid"),
    ], name="generator")

discriminator = make_discriminator()
generator = make_generator()
d_optimizer = keras.optimizers.Adam(3e-4)
g_optimizer = keras.optimizers.Adam(4e-4)
loss_fn = keras.losses.BinaryCrossentropy(from_logits=True)

def train_step(real_images):
    n = tf.shape(real_images)[0]
    z = tf.random.normal((n, latent_dim))
    fake = generator(z)
    combined = tf.concat([fake, real_images], axis=0)
    labels = tf.concat([tf.ones((n, 1)), tf.zeros((n, 1))], axis=0)
    with tf.GradientTape() as tape:
        d_loss = loss_fn(labels, discriminator(combined))
    grads = tape.gradient(d_loss, discriminator.trainable_weights)
    d_optimizer.apply_gradients(zip(grads, discriminator.trainable_weights))

    z = tf.random.normal((n, latent_dim))
    with tf.GradientTape() as tape:
        g_loss = loss_fn(tf.zeros((n, 1)), discriminator(generator(z)))
    grads = tape.gradient(g_loss, generator.trainable_weights)
    g_optimizer.apply_gradients(zip(grads, generator.trainable_weights))
    return d_loss, g_loss

images = np.random.rand(24, 28, 28, 1).astype("float32")
dataset = tf.data.Dataset.from_tensor_slices(images).shuffle(24).batch(batch_size)

for epoch in range(1):
    for step, real in enumerate(dataset):
        d_loss, g_loss = train_step(real)
        print(f"step {step} d {d_loss:.3f} g {g_loss:.3f}")
