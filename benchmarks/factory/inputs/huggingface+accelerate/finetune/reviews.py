import json

import torch
from torch.nn.utils.rnn import pad_sequence

LABELS = {"bad": 0, "good": 1}


def load_reviews(path, test_share=0.25):
    with open(path) as file:
        rows = [json.loads(line) for line in file]
    words = sorted({w for row in rows for w in row["text"].lower().split()})
    vocabulary = {word: number for number, word in enumerate(["<pad>", *words])}
    examples = [
        {
            "tokens": torch.tensor([vocabulary[w] for w in row["text"].lower().split()]),
            "label": LABELS[row["label"]],
        }
        for row in rows
    ]
    cut = int(len(examples) * (1 - test_share))
    return examples[:cut], examples[cut:], vocabulary


def collate(examples):
    tokens = pad_sequence([e["tokens"] for e in examples], batch_first=True, padding_value=0)
    return {
        "tokens": tokens,
        "mask": tokens != 0,
        "labels": torch.tensor([e["label"] for e in examples]),
    }
