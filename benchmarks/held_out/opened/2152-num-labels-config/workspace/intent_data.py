import json

import torch


def read_jsonl(path):
    with open(path, encoding="utf-8") as f:
        return [json.loads(line) for line in f if line.strip()]


class IntentDataset(torch.utils.data.Dataset):
    def __init__(self, rows, tokenizer, names, max_length):
        self.enc = tokenizer([r["text"] for r in rows], truncation=True, max_length=max_length)
        self.labels = [names.index(r["intent"]) for r in rows]

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return {"input_ids": self.enc["input_ids"][i], "attention_mask": self.enc["attention_mask"][i],
                "labels": self.labels[i]}
