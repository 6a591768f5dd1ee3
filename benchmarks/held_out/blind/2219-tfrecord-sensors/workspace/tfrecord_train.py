import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(0)

FILE = "sensors.tfrecord"
N_CHANNELS = 12
BATCH = 32


def _float(values):
    return tf.train.Feature(float_list=tf.train.FloatList(value=values))


def _int(value):
    return tf.train.Feature(int64_list=tf.train.Int64List(value=[value]))


def write_records(path, n=512):
    rng = np.random.default_rng(0)
    with tf.io.TFRecordWriter(path) as w:
        for i in range(n):
            state = int(rng.integers(0, 3))
            signal = rng.normal(loc=state, scale=0.8, size=N_CHANNELS)
            age = int(rng.integers(1, 120))
            ex = tf.train.Example(
                features=tf.train.Features(
                    feature={
                        "signal": _float(signal.tolist()),
                        "age_days": _int(age),
                        "state": _int(state),
                    }
                )
            )
            w.write(ex.SerializeToString())


SCHEMA = {
    "signal": tf.io.FixedLenFeature([N_CHANNELS], tf.float32),
    "age_days": tf.io.FixedLenFeature([], tf.float32),
    "state": tf.io.FixedLenFeature([], tf.int64),
}


def parse(raw):
    ex = tf.io.parse_single_example(raw, SCHEMA)
    age = tf.cast(ex["age_days"], tf.float32) / 120.0
    x = tf.concat([ex["signal"], age[tf.newaxis]], axis=0)
    return x, ex["state"]


def make_dataset(path, training):
    ds = tf.data.TFRecordDataset(path)
    ds = ds.map(parse, num_parallel_calls=2)
    if training:
        ds = ds.shuffle(256, seed=1)
    return ds.batch(BATCH).prefetch(1)


write_records(FILE)
print("wrote", os.path.getsize(FILE), "bytes")

train_ds = make_dataset(FILE, training=True)

model = tf.keras.Sequential(
    [
        tf.keras.layers.Input(shape=(N_CHANNELS + 1,)),
        tf.keras.layers.Dense(32, activation="relu"),
        tf.keras.layers.Dropout(0.2),
        tf.keras.layers.Dense(3, activation="softmax"),
    ]
)
model.compile(optimizer="adam", loss="sparse_categorical_crossentropy", metrics=["accuracy"])
model.fit(train_ds, epochs=3, verbose=2)
model.evaluate(make_dataset(FILE, training=False), verbose=2)
