import json
from pathlib import Path

from datasets import Dataset


def read_labels(path):
    return Path(path).read_text().split()


def read_jsonl(path, label2id):
    rows = []
    for line in Path(path).read_text().splitlines():
        row = json.loads(line)
        rows.append({"tokens": row["tokens"], "tag_ids": [label2id[t] for t in row["tags"]]})
    return Dataset.from_list(rows)
