import math

import torch
import torch.nn as nn


class Positional(nn.Module):
    def __init__(self, dim, max_len=64):
        super().__init__()
        pos = torch.arange(max_len)[:, None]
        div = torch.exp(torch.arange(0, dim, 2) * (-math.log(10000.0) / dim))
        pe = torch.zeros(max_len, dim)
        pe[:, 0::2], pe[:, 1::2] = torch.sin(pos * div), torch.cos(pos * div)
        self.register_buffer("pe", pe)

    def forward(self, x):
        return x + self.pe[: x.size(1)]


class Seq2Seq(nn.Module):
    def __init__(self, vocab, dim=32, heads=4, layers=1):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim, padding_idx=0)
        self.pos = Positional(dim)
        self.core = nn.Transformer(dim, heads, layers, layers, 64, dropout=0.0, batch_first=True)
        self.out = nn.Linear(dim, vocab)
        self.scale = math.sqrt(dim)

    def forward(self, src, tgt, src_pad, tgt_pad):
        causal = torch.triu(torch.ones(tgt.size(1), tgt.size(1), dtype=torch.bool), 1)
        h = self.core(
            self.pos(self.embed(src) * self.scale),
            self.pos(self.embed(tgt) * self.scale),
            tgt_mask=causal,
            src_key_padding_mask=src_pad,
            tgt_key_padding_mask=tgt_pad,
            memory_key_padding_mask=src_pad,
        )
        return self.out(h)

    @torch.no_grad()
    def greedy(self, src, src_pad, bos, steps):
        tgt = torch.full((src.size(0), 1), bos)
        for _ in range(steps):
            logits = self(src, tgt, src_pad, torch.zeros_like(tgt, dtype=torch.bool))
            tgt = torch.cat([tgt, logits[:, -1].argmax(-1, keepdim=True)], 1)
        return tgt
