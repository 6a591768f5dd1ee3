import os

import torch
from torch.nn.utils.rnn import pad_sequence

from vocab import Vocab


def read_lines(path):
    with open(path, encoding="utf-8") as f:
        return [line.split() for line in f if line.strip()]


def read_parallel(data_dir, split, src, tgt):
    a = read_lines(os.path.join(data_dir, f"{split}.{src}"))
    b = read_lines(os.path.join(data_dir, f"{split}.{tgt}"))
    assert len(a) == len(b), f"{split}: {len(a)} source lines but {len(b)} target lines"
    return a, b


def build_vocabs(data_dir, src, tgt, min_freq):
    a, b = read_parallel(data_dir, "train", src, tgt)
    return Vocab(a, min_freq), Vocab(b, min_freq)


def collate(batch):
    src, tgt = zip(*batch)
    lengths = torch.tensor([len(s) for s in src])
    src = pad_sequence([torch.tensor(s) for s in src], batch_first=True)
    tgt = pad_sequence([torch.tensor(t) for t in tgt], batch_first=True)
    return src, lengths, tgt
