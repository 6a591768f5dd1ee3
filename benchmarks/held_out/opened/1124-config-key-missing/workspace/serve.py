import json
import os
import sys
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import keras
import numpy as np

import router.layers  # noqa: F401  (registers the custom classes)
from router.vocab import encode


class Router:
    def __init__(self, folder):
        folder = Path(folder)
        meta = json.loads((folder / "vocab.json").read_text())
        self.vocab, self.queues, self.length = meta["vocab"], meta["queues"], meta["length"]
        self.model = keras.saving.load_model(folder / "router.keras", compile=False)

    def __call__(self, texts):
        logits = self.model.predict(encode(texts, self.vocab, self.length), verbose=0)
        p = np.exp(logits - logits.max(1, keepdims=True))
        p /= p.sum(1, keepdims=True)
        return [(self.queues[i], float(row[i])) for row, i in zip(p, p.argmax(1))]


if __name__ == "__main__":
    folder, requests = sys.argv[1:3]
    texts = json.loads(Path(requests).read_text())
    for text, (queue, prob) in zip(texts, Router(folder)(texts)):
        print(f"{queue:10s} {prob:.2f}  {text}")
