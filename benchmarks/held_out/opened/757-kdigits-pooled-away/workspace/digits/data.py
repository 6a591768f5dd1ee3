import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split


def load(seed):
    raw = load_digits()
    x = (raw.images / 16.0).astype("float32")[..., np.newaxis]
    y = raw.target.astype("int64")
    return train_test_split(x, y, test_size=0.25, random_state=seed, stratify=y)


def to_dataset(x, y, batch_size, classes, training=False, seed=0):
    ds = tf.data.Dataset.from_tensor_slices((x, tf.one_hot(y, classes)))
    if training:
        ds = ds.shuffle(512, seed=seed)
    return ds.batch(batch_size).prefetch(2)
