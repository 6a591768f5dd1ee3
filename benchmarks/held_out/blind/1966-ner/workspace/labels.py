import json


class LabelMap:
    def __init__(self, path):
        with open(path) as f:
            raw = json.load(f)
        self.id2label = {int(k): v for k, v in raw.items()}
        self.label2id = {v: int(k) for k, v in raw.items()}

    def __len__(self):
        return len(self.id2label)

    def decode(self, ids):
        return [self.id2label[int(i)] for i in ids]


def spans(tags):
    """Set of (type, start, end) from BIO tags."""
    found, start, kind = set(), None, None
    for i, t in enumerate(list(tags) + ["O"]):
        if start is not None and (t == "O" or t.startswith("B-") or t[2:] != kind):
            found.add((kind, start, i))
            start, kind = None, None
        if t.startswith("B-"):
            start, kind = i, t[2:]
    return found
