import json
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import keras
import numpy as np
from keras import layers

from pooling import QueryPooling
from tickets import TEAMS, make_tickets


def build(cfg, vectorizer):
    ids = keras.Input((cfg["max_len"],), dtype="int64")
    x = layers.Embedding(vectorizer.vocabulary_size(), cfg["embed_dim"])(ids)
    x = layers.Conv1D(cfg["embed_dim"], 3, padding="same", activation="relu")(x)
    x = QueryPooling(**cfg["pool"], dropout=cfg["dropout"], name="pool")(x)
    out = layers.Dense(len(TEAMS), activation="softmax")(x)
    return keras.Model(ids, out, name="router")


def main():
    with open("settings.json") as f:
        cfg = json.load(f)
    keras.utils.set_random_seed(3)

    texts, labels = make_tickets(2000, seed=1)
    vectorizer = layers.TextVectorization(
        cfg["max_words"], output_sequence_length=cfg["max_len"])
    vectorizer.adapt(texts)

    model = build(cfg, vectorizer)
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    model.fit(np.array(vectorizer(texts)), np.array(labels), verbose=2,
              epochs=cfg["epochs"], batch_size=cfg["batch_size"], validation_split=0.1)

    model.save(cfg["model_path"])
    with open("vocabulary.txt", "w") as f:
        f.write("\n".join(vectorizer.get_vocabulary()[2:]))
    print("saved", cfg["model_path"])


if __name__ == "__main__":
    main()
