import torch


class BatchSampler:
    """Random crops out of one long stream of token ids."""

    def __init__(self, stream, block_size, batch_size, generator=None):
        self.stream = stream
        self.block_size = block_size
        self.batch_size = batch_size
        self.generator = generator

    def draw(self):
        high = len(self.stream) - self.block_size - 1
        starts = torch.randint(high, (self.batch_size,), generator=self.generator)
        x = torch.stack([self.stream[s:s + self.block_size] for s in starts])
        y = torch.stack([self.stream[s + 1:s + 1 + self.block_size] for s in starts])
        return x, y


def split_stream(stream, val_share=0.1):
    cut = int(len(stream) * (1 - val_share))
    return stream[:cut], stream[cut:]
