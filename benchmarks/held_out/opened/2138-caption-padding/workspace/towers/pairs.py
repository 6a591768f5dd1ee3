import json

import numpy as np
import torch
from torch.utils.data import Dataset, Subset


class CaptionPairs(Dataset):
    def __init__(self, images, captions, tokenizer_cls, max_words):
        self.pixels = np.load(images)["pixels"]
        with open(captions, encoding="utf-8") as fh:
            self.records = json.load(fh)
        self.tokenizer = tokenizer_cls([r["caption"] for r in self.records])
        self.max_words = max_words

    def __len__(self):
        return len(self.records)

    def __getitem__(self, i):
        rec = self.records[i]
        image = torch.from_numpy(self.pixels[rec["image"]]).float() / 255
        return image, self.tokenizer.encode(rec["caption"], self.max_words)


def stack_pairs(batch):
    images, ids = zip(*batch)
    return {"pixels": torch.stack(images), "ids": torch.tensor(ids)}


def holdout_split(dataset, share, seed):
    order = torch.randperm(len(dataset), generator=torch.Generator().manual_seed(seed)).tolist()
    cut = int(len(order) * share)
    return Subset(dataset, order[cut:]), Subset(dataset, order[:cut])
