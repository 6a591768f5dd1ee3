import pandas as pd
import tensorflow as tf


def read(path, classes):
    frame = pd.read_csv(path)
    ids = {c: i for i, c in enumerate(classes)}
    labels = frame["queue"].map(ids)
    return frame["text"].tolist(), labels.to_numpy()


def make_vectorizer(texts, spec):
    vec = tf.keras.layers.TextVectorization(
        max_tokens=spec["max_tokens"],
        output_mode="int",
        output_sequence_length=spec["sequence_length"],
    )
    vec.adapt(texts)
    return vec


def dataset(texts, labels, vec, batch, shuffle=False):
    ds = tf.data.Dataset.from_tensor_slices((texts, labels))
    if shuffle:
        ds = ds.shuffle(len(labels), seed=0)
    return ds.batch(batch).map(lambda t, y: (vec(t), y))
