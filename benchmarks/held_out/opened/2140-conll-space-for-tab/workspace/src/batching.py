import random

import torch


class Indexer:
    PAD, UNK = 0, 1

    def __init__(self, sentences, tags):
        words = sorted({w.lower() for toks, _ in sentences for w in toks})
        self.word2id = {w: i + 2 for i, w in enumerate(words)}
        self.tag2id = {t: i for i, t in enumerate(tags)}
        self.id2tag = list(tags)

    @property
    def n_words(self):
        return len(self.word2id) + 2

    def encode(self, tokens, tags):
        w = [self.word2id.get(t.lower(), self.UNK) for t in tokens]
        y = [self.tag2id[t] for t in tags]
        caps = [float(t[0].isupper()) for t in tokens]
        return w, caps, y


def make_batches(sentences, indexer, size, shuffle=False):
    encoded = [indexer.encode(*s) for s in sentences]
    if shuffle:
        random.shuffle(encoded)
    for k in range(0, len(encoded), size):
        chunk = encoded[k:k + size]
        lengths = torch.tensor([len(w) for w, _, _ in chunk])
        T = int(lengths.max())
        words = torch.zeros(len(chunk), T, dtype=torch.long)
        caps = torch.zeros(len(chunk), T)
        gold = torch.full((len(chunk), T), -100)
        for r, (w, c, y) in enumerate(chunk):
            words[r, :len(w)] = torch.tensor(w)
            caps[r, :len(w)] = torch.tensor(c)
            gold[r, :len(w)] = torch.tensor(y)
        yield words, caps, lengths, gold
