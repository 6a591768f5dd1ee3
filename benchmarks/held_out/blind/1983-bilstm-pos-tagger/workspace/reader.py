import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import Dataset

IGNORE = -100


def read_conll(path):
    """word<TAB>tag per line, empty line between sentences"""
    sentences, tags, words, labels = [], [], [], []
    with open(path, encoding="utf-8") as f:
        for line in f:
            line = line.rstrip("\n")
            if not line:
                if words:
                    sentences.append(words)
                    tags.append(labels)
                words, labels = [], []
                continue
            word, tag = line.split("\t")
            words.append(word.lower())
            labels.append(tag)
    if words:
        sentences.append(words)
        tags.append(labels)
    return sentences, tags


class TaggingDataset(Dataset):
    def __init__(self, sentences, tags, vocab, tagset):
        self.items = []
        for sent, labels in zip(sentences, tags):
            ids = torch.tensor(vocab.encode(sent))
            gold = torch.tensor([tagset.index(t) for t in labels])
            self.items.append((ids, gold))

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


def make_collate(pad_id):
    def collate(batch):
        ids, gold = zip(*batch)
        return (
            pad_sequence(ids, batch_first=True, padding_value=pad_id),
            pad_sequence(gold, batch_first=True, padding_value=IGNORE),
        )

    return collate
