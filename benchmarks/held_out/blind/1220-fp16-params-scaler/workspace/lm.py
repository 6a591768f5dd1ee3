import torch
from torch import nn


class GatedBlock(nn.Module):
    def __init__(self, dim, kernel=4):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.conv = nn.Conv1d(dim, 2 * dim, kernel, padding=kernel - 1)
        self.out = nn.Linear(dim, dim)

    def forward(self, x):
        t = x.size(1)
        h = self.conv(self.norm(x).transpose(1, 2))[..., :t].transpose(1, 2)
        a, b = h.chunk(2, -1)
        return x + self.out(a * torch.sigmoid(b))


class ConvLM(nn.Module):
    def __init__(self, vocab, dim, layers, param_dtype="float32"):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.blocks = nn.Sequential(*(GatedBlock(dim) for _ in range(layers)))
        self.head = nn.Linear(dim, vocab)
        self.to(getattr(torch, param_dtype))

    def forward(self, ids):
        return self.head(self.blocks(self.emb(ids)))
