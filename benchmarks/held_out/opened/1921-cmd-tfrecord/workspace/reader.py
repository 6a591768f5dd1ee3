import tensorflow as tf


def make_dataset(path, frames, dim, batch, training):
    spec = {
        "feats": tf.io.FixedLenFeature([frames, dim], tf.float32),
        "label": tf.io.FixedLenFeature([], tf.int64),
    }

    def parse(raw):
        ex = tf.io.parse_single_example(raw, spec)
        x = ex["feats"]
        x = (x - tf.reduce_mean(x, axis=0)) / (tf.math.reduce_std(x, axis=0) + 1e-3)
        return x, ex["label"]

    ds = tf.data.TFRecordDataset(path)
    if training:
        ds = ds.shuffle(512, seed=0)
    return ds.map(parse, num_parallel_calls=2).batch(batch).prefetch(1)
