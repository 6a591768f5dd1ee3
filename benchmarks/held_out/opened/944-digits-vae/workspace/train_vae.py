import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import argparse

import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits

from vae import VAE


def get_dataset(batch_size):
    x = load_digits().data.astype(np.float32) / 16.0
    train, test = x[:1500], x[1500:]
    train_ds = tf.data.Dataset.from_tensor_slices(train).shuffle(1500, seed=0).batch(batch_size)
    test_ds = tf.data.Dataset.from_tensor_slices(test).batch(batch_size)
    return train_ds, test_ds, x.shape[1]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch_size", type=int, default=64)
    parser.add_argument("--beta", type=float, default=1.0)
    args = parser.parse_args()

    tf.random.set_seed(0)
    train_ds, test_ds, n_features = get_dataset(args.batch_size)
    model = VAE(n_features)
    optimizer = tf.keras.optimizers.Adam(1e-3)

    @tf.function
    def train_step(x):
        with tf.GradientTape() as tape:
            rec, kl = model.elbo_terms(x)
            loss = rec + args.beta * kl
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables))
        return loss

    for epoch in range(args.epochs):
        losses = []
        for step, batch in enumerate(train_ds):
            loss = train_step(batch).numpy()
            if not np.isfinite(loss):
                raise FloatingPointError(f"epoch {epoch} step {step}: loss is {loss}")
            losses.append(loss)
        rec = np.mean([model.elbo_terms(b)[0].numpy() for b in test_ds])
        print(f"epoch {epoch + 1}: loss {np.mean(losses):.3f}, test reconstruction {rec:.3f}")

    print("generated", model.generate(4).shape)


if __name__ == "__main__":
    main()
