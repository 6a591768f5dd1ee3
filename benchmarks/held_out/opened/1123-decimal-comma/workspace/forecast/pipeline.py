"""tf.data input pipeline: csv lines -> standardised windows."""
import glob

import numpy as np
import tensorflow as tf


def split_files(pattern):
    files = sorted(glob.glob(pattern))
    if not files:
        raise FileNotFoundError(pattern)
    return files


def _parse(line, n_columns):
    fields = tf.io.decode_csv(line, record_defaults=[tf.constant(0.0)] * n_columns)
    return tf.stack(fields)


def readings(path, cfg):
    """Every row of one plant as a float vector, in file order."""
    n = len(cfg["columns"])
    keep = [cfg["columns"].index(c) for c in cfg["inputs"]]
    lines = tf.data.TextLineDataset(path).skip(1)
    return lines.map(lambda s: tf.gather(_parse(s, n), keep))


class Standardizer:
    """Streaming mean/variance (Chan et al.) over batches of rows."""

    def __init__(self, width):
        self.n = 0
        self.mean = np.zeros(width)
        self.m2 = np.zeros(width)

    def update(self, batch):
        batch = np.asarray(batch, dtype=np.float64)
        n, mean = len(batch), batch.mean(0)
        delta = mean - self.mean
        total = self.n + n
        self.m2 += ((batch - mean) ** 2).sum(0) + delta**2 * self.n * n / total
        self.mean += delta * n / total
        self.n = total

    @property
    def std(self):
        return np.sqrt(self.m2 / max(self.n - 1, 1)) + 1e-6

    def __call__(self, row):
        return (row - tf.constant(self.mean, tf.float32)) / tf.constant(self.std, tf.float32)


def plant_windows(path, cfg, scale, part):
    w, h = cfg["window"], cfg["horizon"]
    target = cfg["inputs"].index(cfg["target"])
    with open(path) as fh:
        n_rows = sum(1 for _ in fh) - 1
    cut = int(n_rows * (1 - cfg["valid_share"]))
    rows = readings(path, cfg).map(scale)
    rows = rows.take(cut) if part == "train" else rows.skip(cut)
    chunks = rows.window(w + h, shift=1, drop_remainder=True)
    chunks = chunks.flat_map(lambda c: c.batch(w + h))
    return chunks.map(lambda c: (c[:w], c[w:, target]))
