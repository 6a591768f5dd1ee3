import torch
import torch.nn as nn

from .masks import causal_mask, padding_mask


class SelfAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v, self.o = (nn.Linear(dim, dim) for _ in range(4))

    def split(self, x):
        b, t, d = x.shape
        return x.view(b, t, self.heads, d // self.heads).transpose(1, 2)

    def forward(self, x, causal, padding):
        q, k, v = self.split(self.q(x)), self.split(self.k(x)), self.split(self.v(x))
        scores = q @ k.mT / q.size(-1) ** 0.5
        scores = scores.masked_fill(padding[:, None, None, :], -1e4)
        scores = scores.masked_fill(causal, -1e4)
        y = scores.softmax(-1) @ v
        return self.o(y.transpose(1, 2).flatten(2))


class MelodyDecoder(nn.Module):
    def __init__(self, pitches, dim=96, heads=4, depth=3, max_len=64):
        super().__init__()
        self.pitch = nn.Embedding(pitches, dim, padding_idx=0)
        self.time = nn.Embedding(max_len, dim)
        self.attn = nn.ModuleList(SelfAttention(dim, heads) for _ in range(depth))
        self.mlp = nn.ModuleList(
            nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))
            for _ in range(depth)
        )
        self.out = nn.Linear(dim, pitches)

    def forward(self, notes, lengths):
        t = notes.size(1)
        causal = causal_mask(t, notes.device)
        padding = padding_mask(lengths, t, notes.device)
        x = self.pitch(notes) + self.time(torch.arange(t, device=notes.device))
        for attn, mlp in zip(self.attn, self.mlp):
            x = x + attn(x, causal, padding)
            x = x + mlp(x)
        return self.out(x)
