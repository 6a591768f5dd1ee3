import random

from torch.utils.data import Sampler


class BucketSampler(Sampler):
    """Shuffles, sorts inside buckets by length, and cuts the buckets into batches."""

    def __init__(self, lengths, batch_size, bucket, seed=0):
        self.lengths, self.batch_size, self.bucket = lengths, batch_size, bucket
        self.random = random.Random(seed)

    def __iter__(self):
        order = list(range(len(self.lengths)))
        self.random.shuffle(order)
        batches = []
        for b in range(0, len(order), self.bucket):
            part = sorted(order[b:b + self.bucket], key=self.lengths.__getitem__)
            batches += [part[i:i + self.batch_size] for i in range(0, len(part), self.batch_size)]
        self.random.shuffle(batches)
        return iter(batches)

    def __len__(self):
        return -(-len(self.lengths) // self.batch_size)
