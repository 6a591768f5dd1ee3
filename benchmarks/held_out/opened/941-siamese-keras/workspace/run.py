import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import keras
import numpy as np
import tensorflow as tf

from pairs import PairSampler, load_images
from siamese import build_siamese, contrastive_loss

BATCH = 32
keras.utils.set_random_seed(0)


def make_dataset(images, labels, n_pairs, seed):
    image_spec = tf.TensorSpec(shape=(8, 8, 1), dtype=tf.float32)
    ds = tf.data.Dataset.from_generator(
        PairSampler(images, labels, n_pairs, seed),
        output_signature=((image_spec, image_spec), tf.TensorSpec(shape=(), dtype=tf.float32)),
    )
    return ds.batch(BATCH).prefetch(1)


def nearest_neighbour_accuracy(encoder, x_ref, y_ref, x, y):
    ref = encoder.predict(x_ref, verbose=0)
    emb = encoder.predict(x, verbose=0)
    d = ((emb[:, None] - ref[None]) ** 2).sum(-1)
    return float((y_ref[d.argmin(1)] == y).mean())


def main():
    images, labels = load_images()
    n_train = 1400
    train_ds = make_dataset(images[:n_train], labels[:n_train], 1280, seed=1)
    val_ds = make_dataset(images[n_train:], labels[n_train:], 256, seed=2)

    model, encoder = build_siamese()
    model.compile(optimizer=keras.optimizers.Adam(learning_rate=2e-3), loss=contrastive_loss())
    model.fit(train_ds, validation_data=val_ds, epochs=3, verbose=2)

    acc = nearest_neighbour_accuracy(
        encoder, images[:n_train], labels[:n_train], images[n_train:], labels[n_train:]
    )
    print("1-NN accuracy on held-out digits: %.3f" % acc)


if __name__ == "__main__":
    main()
