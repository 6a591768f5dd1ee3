import numpy as np
import torch


def right_align(seqs, length):
    out = np.zeros((len(seqs), length), dtype=np.int64)
    for i, s in enumerate(seqs):
        s = s[-length:]
        out[i, length - len(s):] = s
    return torch.from_numpy(out)


class TrainBatches:
    """Yields (inputs, positives, negatives), each (batch, length)."""

    def __init__(self, sessions, length, batch_size, sampler, seed=0):
        self.sessions = [s for s in sessions if len(s) > 1]
        self.length = length
        self.batch_size = batch_size
        self.sampler = sampler
        self.rng = np.random.default_rng(seed)

    def __len__(self):
        return -(-len(self.sessions) // self.batch_size)

    def __iter__(self):
        order = self.rng.permutation(len(self.sessions))
        for start in range(0, len(order), self.batch_size):
            chunk = [self.sessions[k] for k in order[start:start + self.batch_size]]
            inputs = right_align([s[:-1] for s in chunk], self.length)
            positives = right_align([s[1:] for s in chunk], self.length)
            negatives = self.sampler(positives.shape)
            yield inputs, positives, negatives


class NegativeSampler:
    def __init__(self, probs, seed=0):
        self.probs = probs
        self.rng = np.random.default_rng(seed)

    def __call__(self, shape):
        draw = self.rng.choice(len(self.probs), size=tuple(shape), p=self.probs)
        return torch.from_numpy(draw)
