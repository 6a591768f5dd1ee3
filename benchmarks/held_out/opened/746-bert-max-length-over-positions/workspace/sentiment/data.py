import csv

from torch.utils.data import Dataset


class ReviewDataset(Dataset):
    def __init__(self, path, split, tokenizer, labels):
        self.tokenizer = tokenizer
        self.label2id = {name: i for i, name in enumerate(labels)}
        with open(path, newline="") as f:
            rows = list(csv.DictReader(f, delimiter="\t"))
        self.rows = [r for r in rows if r["split"] == split]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        row = self.rows[i]
        item = self.tokenizer(row["text"])
        item["labels"] = self.label2id[row["label"]]
        return item
