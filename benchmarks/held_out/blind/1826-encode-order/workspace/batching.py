import random

import torch
from torch.nn.utils.rnn import pad_sequence


class Batcher:
    def __init__(self, encoded, size, pad_label, shuffle=False):
        self.encoded, self.size, self.pad_label, self.shuffle = list(encoded), size, pad_label, shuffle

    def __iter__(self):
        data = self.encoded[:]
        if self.shuffle:
            random.shuffle(data)
        for i in range(0, len(data), self.size):
            chunk = sorted(data[i:i + self.size], key=lambda s: len(s[0]), reverse=True)
            yield self.tensors(chunk)

    def tensors(self, chunk):
        lengths = torch.tensor([len(s[0]) for s in chunk])
        words = pad_sequence([torch.tensor(s[0]) for s in chunk], batch_first=True)
        labels = pad_sequence([torch.tensor(s[2]) for s in chunk], batch_first=True, padding_value=self.pad_label)
        longest = max(len(c) for s in chunk for c in s[1])
        chars = torch.zeros(len(chunk), words.size(1), max(longest, 3), dtype=torch.long)
        for b, s in enumerate(chunk):
            for t, c in enumerate(s[1]):
                chars[b, t, :len(c)] = torch.tensor(c)
        return words, chars, lengths, labels
