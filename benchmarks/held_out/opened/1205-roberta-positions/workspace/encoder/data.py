import random

import torch

PAD, MASK, FIRST = 1, 3, 4


def make_corpus(n, vocab, max_len, seed=0):
    rng = random.Random(seed)
    docs = []
    for _ in range(n):
        step = rng.randint(1, 5)
        start = rng.randint(FIRST, vocab - 1)
        length = min(max_len, rng.randint(20, max_len + 40))
        docs.append([FIRST + (start + i * step) % (vocab - FIRST) for i in range(length)])
    return docs


def mask_tokens(ids, prob=0.15):
    labels = ids.clone()
    chosen = (torch.rand(ids.shape) < prob) & ids.ne(PAD)
    labels[~chosen] = -100
    return ids.masked_fill(chosen, MASK), labels


def collate(docs):
    width = max(map(len, docs))
    ids = torch.full((len(docs), width), PAD)
    for i, d in enumerate(docs):
        ids[i, : len(d)] = torch.tensor(d)
    return mask_tokens(ids)
