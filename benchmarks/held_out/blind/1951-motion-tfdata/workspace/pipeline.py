import tensorflow as tf

import settings as S


def read_labels(path=S.LABELS_TXT):
    with open(path) as fh:
        return [line.strip() for line in fh if line.strip()]


class SegmentPipeline:
    """CSV lines -> (signal, label) batches."""

    def __init__(self, labels):
        self.lookup = tf.keras.layers.StringLookup(vocabulary=labels)
        self.defaults = [""] * S.META_COLUMNS + [0.0] * S.N_SAMPLES

    def _parse(self, line):
        cols = tf.io.decode_csv(line, record_defaults=self.defaults)
        signal = tf.stack(cols[S.META_COLUMNS:])
        return signal[:, tf.newaxis], self.lookup(cols[2])

    @staticmethod
    def _augment(signal, label):
        signal = signal + tf.random.normal(tf.shape(signal), stddev=S.JITTER)
        signal = tf.roll(signal, tf.random.uniform([], 0, 4, tf.int32), axis=0)
        return signal, label

    def __call__(self, csv_path, training):
        ds = tf.data.TextLineDataset(csv_path).skip(1)
        ds = ds.map(self._parse, num_parallel_calls=tf.data.AUTOTUNE).cache()
        if training:
            ds = ds.shuffle(S.SHUFFLE_BUFFER, seed=1)
            ds = ds.map(self._augment, num_parallel_calls=tf.data.AUTOTUNE)
        return ds.batch(S.BATCH_SIZE).prefetch(tf.data.AUTOTUNE)
