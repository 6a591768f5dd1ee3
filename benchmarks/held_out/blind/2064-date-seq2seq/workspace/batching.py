import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

from vocab import PAD, encode, make_pairs


def collate(pairs):
    src = [torch.tensor(encode(s)) for s, _ in pairs]
    tgt = [torch.tensor(encode(t)) for _, t in pairs]
    return pad_sequence(src, True, PAD), pad_sequence(tgt, True, PAD)


def pad_mask(ids):
    return ids == PAD


def loader(n, seed, batch_size=32, shuffle=False):
    return DataLoader(make_pairs(n, seed), batch_size=batch_size, shuffle=shuffle, collate_fn=collate)
