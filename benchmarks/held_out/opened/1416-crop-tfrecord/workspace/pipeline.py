import json
import pathlib

import tensorflow as tf

AUTOTUNE = tf.data.AUTOTUNE


def meta(root):
    return json.loads((pathlib.Path(root) / "meta.json").read_text())


def feature_spec(steps):
    return {
        "ndvi": tf.io.FixedLenFeature([steps], tf.float32),
        "crop": tf.io.FixedLenFeature([], tf.float32),
        "field": tf.io.FixedLenFeature([], tf.string, default_value=""),
    }


def jitter(x, y):
    shift = tf.random.uniform([], -1, 2, dtype=tf.int32)
    return tf.roll(x, shift, axis=0) + tf.random.normal(tf.shape(x), stddev=0.02), y


def dataset(root, shards, batch, training):
    spec = feature_spec(meta(root)["steps"])
    files = [str(pathlib.Path(root) / f"crops-{s:02d}.tfrecord") for s in shards]

    def parse(raw):
        ex = tf.io.parse_single_example(raw, spec)
        return ex["ndvi"][:, tf.newaxis], ex["crop"]

    ds = tf.data.TFRecordDataset(files, num_parallel_reads=2).map(parse, AUTOTUNE)
    if training:
        ds = ds.map(jitter, AUTOTUNE).shuffle(256, seed=1)
    return ds.batch(batch).prefetch(AUTOTUNE)
