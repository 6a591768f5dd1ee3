import csv

import torch
from torch.utils.data import Dataset


class WhitespaceTokenizer:
    """we do not need wordpieces for this small vocabulary"""

    def __init__(self, vocab_file):
        with open(vocab_file) as f:
            self.vocab = {w.rstrip("\n"): i for i, w in enumerate(f)}
        self.pad, self.unk = self.vocab["[PAD]"], self.vocab["[UNK]"]
        self.cls, self.sep = self.vocab["[CLS]"], self.vocab["[SEP]"]

    def __len__(self):
        return len(self.vocab)

    def __call__(self, text, max_length):
        ids = [self.vocab.get(w, self.unk) for w in text.lower().split()]
        ids = [self.cls] + ids[: max_length - 2] + [self.sep]
        mask = [1] * len(ids) + [0] * (max_length - len(ids))
        ids = ids + [self.pad] * (max_length - len(ids))
        return {"input_ids": ids, "attention_mask": mask}


class IntentDataset(Dataset):
    def __init__(self, path, tokenizer, label2id, max_length):
        self.examples = []
        with open(path, newline="") as f:
            for row in csv.DictReader(f, delimiter="\t"):
                enc = tokenizer(row["text"], max_length)
                enc["labels"] = label2id[row["intent"]]
                self.examples.append({k: torch.tensor(v) for k, v in enc.items()})

    def __len__(self):
        return len(self.examples)

    def __getitem__(self, i):
        return self.examples[i]
