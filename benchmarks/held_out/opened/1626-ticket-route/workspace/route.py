import argparse
import json
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import keras
import numpy as np
from keras import layers

import pooling  # noqa: F401
from tickets import TEAMS, make_tickets


def main():
    parser = argparse.ArgumentParser(description="Route held-out tickets to a team.")
    parser.add_argument("--settings", default="settings.json")
    parser.add_argument("--count", type=int, default=200)
    args = parser.parse_args()

    with open(args.settings) as f:
        cfg = json.load(f)
    with open("vocabulary.txt") as f:
        words = f.read().splitlines()
    vectorizer = layers.TextVectorization(
        cfg["max_words"], output_sequence_length=cfg["max_len"], vocabulary=words)
    model = keras.saving.load_model(cfg["model_path"])

    texts, labels = make_tickets(args.count, seed=99)
    pred = model.predict(np.array(vectorizer(texts)), verbose=0).argmax(-1)
    print(f"accuracy {np.mean(pred == np.array(labels)):.3f}")
    for text, team in list(zip(texts, pred))[:5]:
        print(f"{TEAMS[team]:10s} {text}")


if __name__ == "__main__":
    main()
