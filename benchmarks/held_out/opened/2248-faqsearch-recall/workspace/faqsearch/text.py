import json
import re
import zlib
from pathlib import Path

import torch

BUCKETS = 2048


def read(data, name):
    with open(Path(data) / f"{name}.jsonl", encoding="utf-8") as f:
        return [json.loads(line) for line in f]


def hash_tokens(texts):
    """Hashed words and character trigrams for nn.EmbeddingBag."""
    flat, offsets = [], []
    for text in texts:
        offsets.append(len(flat))
        for word in re.findall(r"\w+", text.lower()):
            padded = f"#{word}#"
            for piece in [word, *(padded[i : i + 3] for i in range(len(padded) - 2))]:
                flat.append(zlib.crc32(piece.encode()) % BUCKETS)
    return torch.tensor(flat), torch.tensor(offsets)
