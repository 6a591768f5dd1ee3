import json


def read_labels(path):
    with open(path) as f:
        return json.load(f)["labels"]


def read_jsonl(path):
    docs = {}
    with open(path) as f:
        for line in f:
            doc = json.loads(line)
            docs[doc["id"]] = doc
    return docs
