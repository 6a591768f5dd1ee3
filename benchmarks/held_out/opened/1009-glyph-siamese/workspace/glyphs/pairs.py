"""Reads the glyph sheet and makes (image a, image b, same?) triples."""
import numpy as np
import tensorflow as tf


def load_glyphs(path):
    sheet = np.load(path)
    images = sheet["images"].astype("float32") / 255.0
    return images[..., np.newaxis], sheet["labels"]


def make_pairs(images, labels, n_pairs, rng):
    by_class = {c: np.flatnonzero(labels == c) for c in np.unique(labels)}
    classes = list(by_class)
    left, right, same = [], [], []
    for k in range(n_pairs):
        a = rng.choice(classes)
        if k % 2 == 0:
            i, j = rng.choice(by_class[a], size=2, replace=False)
            same.append(1)
        else:
            b = rng.choice([c for c in classes if c != a])
            i, j = rng.choice(by_class[a]), rng.choice(by_class[b])
            same.append(0)
        left.append(i)
        right.append(j)
    return images[left], images[right], np.array(same)


def pair_dataset(images, labels, n_pairs, batch_size, seed, shuffle=True):
    a, b, same = make_pairs(images, labels, n_pairs, np.random.default_rng(seed))
    ds = tf.data.Dataset.from_tensor_slices((a, b, same))
    if shuffle:
        ds = ds.shuffle(n_pairs, seed=seed)
    return ds.batch(batch_size).prefetch(2)
