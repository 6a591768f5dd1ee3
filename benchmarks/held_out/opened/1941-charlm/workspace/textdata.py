import torch


class CharData:
    def __init__(self, path, block, val_share=0.15):
        text = open(path, encoding="utf-8").read()
        self.chars = sorted(set(text))
        lookup = {c: i for i, c in enumerate(self.chars)}
        ids = torch.tensor([lookup[c] for c in text])
        cut = int(len(ids) * (1 - val_share))
        self.train, self.val = ids[:cut], ids[cut:]
        self.block = block

    def batch(self, batch_size, generator, split="train"):
        ids = getattr(self, split)
        at = torch.randint(len(ids) - self.block - 1, (batch_size,), generator=generator)
        x = torch.stack([ids[i:i + self.block] for i in at])
        y = torch.stack([ids[i + 1:i + 1 + self.block] for i in at])
        return x, y

    def decode(self, ids):
        return "".join(self.chars[i] for i in ids)
