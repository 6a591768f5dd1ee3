import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.fc = nn.Linear(width, width)
        self.mod = nn.Linear(width, width)

    def forward(self, h, emb):
        return h + torch.nn.functional.silu(self.fc(self.norm(h)) + self.mod(emb))


class Denoiser(nn.Module):
    def __init__(self, dim, num_steps, width=64, blocks=3):
        super().__init__()
        self.inp = nn.Linear(dim, width)
        self.time = nn.Embedding(num_steps, width)
        self.blocks = nn.ModuleList(Block(width) for _ in range(blocks))
        self.out = nn.Linear(width, dim)

    def forward(self, x, t):
        h, emb = self.inp(x), self.time(t)
        for block in self.blocks:
            h = block(h, emb)
        return self.out(h)
