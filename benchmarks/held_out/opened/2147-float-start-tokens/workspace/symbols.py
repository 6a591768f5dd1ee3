import torch


class Symbols:
    """Characters of one side, with <pad>, <bos> and <eos> in front."""
    PAD, BOS, EOS = 0, 1, 2

    def __init__(self, texts):
        chars = sorted(set("".join(texts)))
        self.chars = ["<pad>", "<bos>", "<eos>"] + chars
        self.ids = {c: i for i, c in enumerate(self.chars)}

    def __len__(self):
        return len(self.chars)

    def tensor(self, texts):
        rows = [[self.BOS] + [self.ids[c] for c in t] + [self.EOS] for t in texts]
        width = max(map(len, rows))
        return torch.tensor([r + [self.PAD] * (width - len(r)) for r in rows])

    def text(self, row):
        out = []
        for i in row:
            if i == self.EOS:
                break
            if i > self.EOS:
                out.append(self.chars[i])
        return "".join(out)
