import json
import re

import torch

TOKEN = re.compile(r"[a-z]+|\d+")


def read_jsonl(path):
    with open(path, encoding="utf-8") as fh:
        return [json.loads(row) for row in fh if row.strip()]


class Vocab:
    def __init__(self, path, max_len):
        with open(path) as fh:
            blob = json.load(fh)
        self.size = blob["size"]
        self.ids = blob["ids"]
        self.max_len = max_len

    def encode(self, text):
        tokens = TOKEN.findall(text.lower())
        ids = [self.ids.get(t, self.ids["<unk>"]) for t in tokens]
        if len(ids) >= self.max_len:
            return ids[:self.max_len]
        ids = ids + [self.ids["<pad>"]] * (self.max_len - len(ids))


def make_collate(vocab, queues):
    index = {q: i for i, q in enumerate(queues)}

    def collate(rows):
        ids = [vocab.encode(r["subject"] + " " + r["body"]) for r in rows]
        priority = [[r["priority"] / 3] for r in rows]
        target = [index[r["queue"]] for r in rows]
        return torch.tensor(ids), torch.tensor(priority), torch.tensor(target)

    return collate
