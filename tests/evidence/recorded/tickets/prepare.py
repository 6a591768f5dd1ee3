"""Turns data/tickets.csv into token ids: python prepare.py configs/base.yaml"""
import csv
import json
import random
import sys
from collections import Counter
from pathlib import Path

import yaml

PAD, UNKNOWN = 0, 1


def build_vocabulary(texts, min_count):
    counts = Counter(word for text in texts for word in text.split())
    words = [word for word, n in counts.most_common() if n >= min_count]
    return {word: i for i, word in enumerate(words, start=2)}


def encode(text, vocabulary, length):
    ids = [vocabulary.get(word, UNKNOWN) for word in text.split()][:length]
    return ids + [PAD] * (length - len(ids))


def main(path):
    config = yaml.safe_load(Path(path).read_text())
    data = config["data"]
    with open(data["raw"], newline="") as f:
        rows = list(csv.DictReader(f))
    random.Random(data["seed"]).shuffle(rows)
    vocabulary = build_vocabulary([row["text"] for row in rows], data["min_count"])
    queues = sorted({row["queue"] for row in rows})
    samples = [
        {"ids": encode(row["text"], vocabulary, data["length"]), "label": queues.index(row["queue"])}
        for row in rows
    ]
    out = Path(data["prepared"])
    out.mkdir(parents=True, exist_ok=True)
    cut = int(len(samples) * (1 - data["validation_share"]))
    (out / "train.json").write_text(json.dumps(samples[:cut]))
    (out / "validation.json").write_text(json.dumps(samples[cut:]))
    meta = {"vocab_size": len(vocabulary), "queues": queues, "length": data["length"]}
    (out / "meta.json").write_text(json.dumps(meta))
    print(f"{cut} training samples, {len(samples) - cut} for validation, {len(vocabulary)} words")


if __name__ == "__main__":
    main(sys.argv[1])
