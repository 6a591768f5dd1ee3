import torch


class Corpus:
    def __init__(self, path, valid_frac=0.1):
        with open(path) as f:
            text = f.read()
        self.chars = sorted(set(text))
        self.index = {c: i for i, c in enumerate(self.chars)}
        ids = torch.tensor([self.index[c] for c in text])
        cut = int(len(ids) * (1 - valid_frac))
        self.train, self.valid = ids[:cut], ids[cut:]

    def __len__(self):
        return len(self.chars)


def batchify(ids, batch_size):
    """Arrange the stream in batch_size parallel columns -> (batch, steps)."""
    steps = ids.size(0) // batch_size
    return ids[: steps * batch_size].view(batch_size, steps)


def get_batch(source, i, bptt):
    n = min(bptt, source.size(1) - 1 - i)
    return source[:, i:i + n], source[:, i + 1:i + 1 + n]


def repackage_hidden(state):
    """Cut the history of the recurrent state between two BPTT chunks."""
    h, c = state
    return h.detach(), c
