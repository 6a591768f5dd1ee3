import numpy as np
import pandas as pd
import tensorflow as tf


def load_recordings(path):
    df = pd.read_csv(path)
    missing = {"subject", "activity"} - set(df.columns)
    if missing:
        raise ValueError(f"{path} lacks columns {sorted(missing)}")
    return df


def cut_windows(df, channels, window, stride):
    xs, ys = [], []
    for (_, activity), part in df.groupby(["subject", "activity"], sort=True):
        values = part[channels].to_numpy("float32")
        for start in range(0, len(values) - window + 1, stride):
            xs.append(values[start : start + window])
            ys.append(activity)
    return np.stack(xs), np.array(ys)


def jitter(x, y):
    return x + tf.random.normal(tf.shape(x), stddev=0.02), y


class LabelledWindows:
    def __init__(self, df, data_cfg):
        self.cfg = data_cfg
        self.classes = sorted(df["activity"].unique())
        self.lookup = tf.keras.layers.StringLookup(vocabulary=self.classes)

    @property
    def num_classes(self):
        return len(self.classes)

    def dataset(self, df, batch_size, training):
        x, y = cut_windows(df, self.cfg["channels"], self.cfg["window"], self.cfg["stride"])
        ds = tf.data.Dataset.from_tensor_slices((x, y))
        if training:
            ds = ds.shuffle(len(x), seed=0)
        ds = ds.map(lambda a, b: (a, self.lookup(b)))
        if training:
            ds = ds.map(jitter)
        return ds.batch(batch_size).prefetch(1)
