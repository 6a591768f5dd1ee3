"""Reading support tickets and turning them into arrays."""
import json
import random

import numpy as np
from keras import layers

CHANNELS = ["web", "phone", "chat", "email"]


def read_tickets(path):
    with open(path, encoding="utf8") as f:
        return [json.loads(line) for line in f if line.strip()]


def split(rows, valid_share, seed=0):
    rows = list(rows)
    random.Random(seed).shuffle(rows)
    n = int(len(rows) * valid_share)
    return rows[n:], rows[:n]


def make_vectorizer(texts, text_cfg):
    vec = layers.TextVectorization(
        max_tokens=text_cfg["max_tokens"],
        output_sequence_length=text_cfg["sequence_length"],
        ngrams=text_cfg["ngrams"],
    )
    vec.adapt(texts)
    return vec


def to_arrays(rows, vec, intents):
    x = {
        "tokens": np.asarray(vec([r["text"] for r in rows])),
        "meta": np.array(
            [[float(r["channel"] == c) for c in CHANNELS] + [r["tenure"] / 120.0] for r in rows],
            dtype="float32",
        ),
    }
    y = np.array([intents.index(r["intent"]) for r in rows])
    return x, y
