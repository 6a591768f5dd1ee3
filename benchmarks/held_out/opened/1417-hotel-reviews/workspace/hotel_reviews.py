# Two outputs (sentiment, aspect) from one small text encoder. Keras 3, tf.data, TextVectorization.
import argparse
import collections
import csv
import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import keras
import numpy as np
import tensorflow as tf
from keras import layers

parser = argparse.ArgumentParser()
parser.add_argument("--tsv", default="reviews.tsv")
parser.add_argument("--epochs", type=int, default=5)
parser.add_argument("--maxlen", type=int, default=14)
parser.add_argument("--vocab", type=int, default=80)
parser.add_argument("--seed", type=int, default=2)


def read(path):
    with open(path, newline="") as fh:
        rows = list(csv.DictReader(fh, delimiter="\t"))
    texts = np.array([r["text"] for r in rows])
    sentiment = np.array([int(r["sentiment"]) for r in rows], dtype="float32")
    aspects = sorted({r["aspect"] for r in rows})
    aspect = np.array([aspects.index(r["aspect"]) for r in rows], dtype="int32")
    return texts, sentiment, aspect, aspects


def make_dataset(texts, sentiment, aspect, batch=32, shuffle=False):
    ds = tf.data.Dataset.from_tensor_slices((texts, {"sentiment": sentiment, "aspect": aspect}))
    if shuffle:
        ds = ds.shuffle(len(texts), seed=0)
    return ds.batch(batch)


def build(vec, n_aspects, maxlen):
    tokens = keras.Input((maxlen,), dtype="int32", name="tokens")
    x = layers.Embedding(vec.vocabulary_size(), 24, mask_zero=True)(tokens)
    x = layers.Bidirectional(layers.GRU(16, return_sequences=True))(x)
    att = layers.MultiHeadAttention(num_heads=2, key_dim=8)(x, x)
    x = layers.LayerNormalization()(layers.Add()([x, att]))
    x = layers.GlobalAveragePooling1D()(x)
    x = layers.Dropout(0.2)(x)
    outputs = {
        "sentiment": layers.Dense(1, activation="sigmoid", name="sentiment")(x),
        "aspect": layers.Dense(n_aspects, activation="softmax", name="aspect")(x),
    }
    return keras.Model(tokens, outputs)


def main():
    a = parser.parse_args()
    keras.utils.set_random_seed(a.seed)
    texts, sentiment, aspect, aspects = read(a.tsv)
    order = np.random.permutation(len(texts))
    cut = int(0.8 * len(order))
    tr, te = order[:cut], order[cut:]
    print("aspects:", dict(collections.Counter(aspects[i] for i in aspect)))

    vec = layers.TextVectorization(max_tokens=a.vocab, output_sequence_length=a.maxlen)
    vec.adapt(texts[tr])
    to_tokens = lambda t, y: (vec(t), y)
    train = make_dataset(texts[tr], sentiment[tr], aspect[tr], shuffle=True).map(to_tokens)
    test = make_dataset(texts[te], sentiment[te], aspect[te]).map(to_tokens)

    model = build(vec, len(aspects), a.maxlen)
    model.compile(
        optimizer=keras.optimizers.Adam(3e-3),
        loss={"sentiment": "binary_crossentropy", "aspect": "categorical_crossentropy"},
        loss_weights={"sentiment": 1.0, "aspect": 0.5},
        metrics={"sentiment": ["accuracy"], "aspect": ["accuracy"]},
    )
    model.fit(train, validation_data=test, epochs=a.epochs, verbose=2)
    scores = model.evaluate(test, verbose=0, return_dict=True)
    print({k: round(v, 3) for k, v in scores.items()})
    demo = ["honestly breakfast was cold and slow", "our waiter was superb and friendly"]
    out = model.predict(vec(tf.constant(demo)), verbose=0)
    for t, s, p in zip(demo, out["sentiment"][:, 0], out["aspect"]):
        print(f"{s:.2f} {aspects[int(p.argmax())]:<8} {t}")


if __name__ == "__main__":
    main()
