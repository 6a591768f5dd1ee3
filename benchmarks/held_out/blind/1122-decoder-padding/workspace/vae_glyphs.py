#!/usr/bin/env python
# Convolutional VAE on procedurally drawn glyphs (circle / square / cross / bar).
# usage: vae_glyphs.py [--latent 6] [--epochs 2] [--beta 0.5]
import argparse
import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import keras
import numpy as np
import tensorflow as tf
from keras import layers, ops

SIZE = 28


def draw(kind, rng):
    yy, xx = np.mgrid[:SIZE, :SIZE]
    cy, cx = rng.uniform(10, 18, 2)
    r = rng.uniform(4, 8)
    if kind == 0:
        img = np.abs(np.hypot(yy - cy, xx - cx) - r) < 1.3
    elif kind == 1:
        img = np.maximum(np.abs(yy - cy), np.abs(xx - cx)) < r * 0.8
    elif kind == 2:
        img = (np.abs(yy - cy) < 1.5) | (np.abs(xx - cx) < 1.5)
        img &= np.maximum(np.abs(yy - cy), np.abs(xx - cx)) < r
    else:
        img = (np.abs(yy - cy) < 2) & (np.abs(xx - cx) < r)
    return img.astype("float32")


def make_images(n, seed=0):
    rng = np.random.default_rng(seed)
    kinds = rng.integers(0, 4, n)
    x = np.stack([draw(k, rng) for k in kinds])
    x = np.clip(x + rng.normal(0, 0.05, x.shape), 0, 1).astype("float32")
    return x[..., None], kinds


class Sampling(layers.Layer):
    """z = mu + sigma * eps"""

    def __init__(self, seed=None, **kw):
        super().__init__(**kw)
        self.seed_generator = keras.random.SeedGenerator(seed)

    def call(self, inputs):
        mean, log_var = inputs
        eps = keras.random.normal(ops.shape(mean), seed=self.seed_generator)
        return mean + ops.exp(0.5 * log_var) * eps


def build_encoder(latent):
    inp = keras.Input((SIZE, SIZE, 1))
    x = layers.Conv2D(16, 3, strides=2, padding="same", activation="relu")(inp)
    x = layers.Conv2D(32, 3, strides=2, padding="same", activation="relu")(x)
    x = layers.Flatten()(x)
    x = layers.Dense(32, activation="relu")(x)
    mean = layers.Dense(latent, name="z_mean")(x)
    log_var = layers.Dense(latent, name="z_log_var")(x)
    z = Sampling(seed=13, name="z")([mean, log_var])
    return keras.Model(inp, [mean, log_var, z], name="encoder")


def build_decoder(latent):
    inp = keras.Input((latent,))
    x = layers.Dense(7 * 7 * 32, activation="relu")(inp)
    x = layers.Reshape((7, 7, 32))(x)
    x = layers.Conv2DTranspose(32, 3, strides=2, padding="same", activation="relu")(x)
    x = layers.Conv2DTranspose(16, 3, strides=2, activation="relu")(x)
    out = layers.Conv2D(1, 3, padding="same", activation="sigmoid")(x)
    return keras.Model(inp, out, name="decoder")


class VAE(keras.Model):
    def __init__(self, encoder, decoder, beta=1.0, **kw):
        super().__init__(**kw)
        self.encoder, self.decoder = encoder, decoder
        self.beta = beta
        self.total_tracker = keras.metrics.Mean(name="loss")
        self.recon_tracker = keras.metrics.Mean(name="recon")
        self.kl_tracker = keras.metrics.Mean(name="kl")

    @property
    def metrics(self):
        return [self.total_tracker, self.recon_tracker, self.kl_tracker]

    def losses_for(self, x, recon, mean, log_var):
        bce = keras.losses.binary_crossentropy(x, recon)
        recon_loss = ops.mean(ops.sum(bce, axis=(1, 2)))
        kl = -0.5 * (1 + log_var - ops.square(mean) - ops.exp(log_var))
        kl_loss = ops.mean(ops.sum(kl, axis=1))
        return recon_loss, kl_loss

    def train_step(self, x):
        with tf.GradientTape() as tape:
            mean, log_var, z = self.encoder(x, training=True)
            recon = self.decoder(z, training=True)
            recon_loss, kl_loss = self.losses_for(x, recon, mean, log_var)
            loss = recon_loss + self.beta * kl_loss
        grads = tape.gradient(loss, self.trainable_weights)
        self.optimizer.apply_gradients(zip(grads, self.trainable_weights))
        self.total_tracker.update_state(loss)
        self.recon_tracker.update_state(recon_loss)
        self.kl_tracker.update_state(kl_loss)
        return {m.name: m.result() for m in self.metrics}

    def call(self, x):
        return self.decoder(self.encoder(x)[0])


def nearest_centroid_accuracy(codes, kinds):
    half = len(codes) // 2
    cents = np.stack([codes[:half][kinds[:half] == k].mean(0) for k in range(4)])
    d = ((codes[half:, None] - cents[None]) ** 2).sum(-1)
    return float((d.argmin(1) == kinds[half:]).mean())


def ascii_row(images, step=2):
    shades = np.array(list(" .:*#"))
    lines = []
    for r in range(0, images.shape[1], step):
        cells = [shades[(img[r, ::step, 0] * 4).astype(int)] for img in images]
        lines.append(" | ".join("".join(c) for c in cells))
    return "\n".join(lines)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--latent", type=int, default=6)
    p.add_argument("--epochs", type=int, default=2)
    p.add_argument("--beta", type=float, default=0.5)
    p.add_argument("--n", type=int, default=1536)
    a = p.parse_args()

    keras.utils.set_random_seed(5)
    x, kinds = make_images(a.n)
    ds = tf.data.Dataset.from_tensor_slices(x).shuffle(a.n).batch(64, drop_remainder=True)
    vae = VAE(build_encoder(a.latent), build_decoder(a.latent), beta=a.beta)
    vae.compile(optimizer=keras.optimizers.Adam(2e-3))
    vae.fit(ds, epochs=a.epochs)

    mean, _, _ = vae.encoder.predict(x, batch_size=128, verbose=0)
    print("nearest centroid accuracy in latent space: %.3f" % nearest_centroid_accuracy(mean, kinds))
    print(ascii_row(np.concatenate([x[:2], vae.predict(x[:2], verbose=0)])))


if __name__ == "__main__":
    main()
