import json

import torch
from torch.utils.data import Dataset

PAD, UNK = "<pad>", "<unk>"


def load_reviews(path):
    with open(path, encoding="utf-8") as f:
        return [json.loads(line) for line in f]


def build_vocab(reviews, min_count=1):
    counts = {}
    for review in reviews:
        for token in review["text"].split():
            counts[token] = counts.get(token, 0) + 1
    vocab = {PAD: 0, UNK: 1}
    for token in sorted(counts):
        if counts[token] >= min_count:
            vocab[token] = len(vocab)
    return vocab


class ReviewDataset(Dataset):
    def __init__(self, reviews, vocab):
        self.reviews = reviews
        self.vocab = vocab

    def __len__(self):
        return len(self.reviews)

    def __getitem__(self, index):
        review = self.reviews[index]
        ids = [self.vocab.get(t, self.vocab[UNK]) for t in review["text"].split()]
        return torch.tensor(ids), torch.tensor(float(review["positive"]))
