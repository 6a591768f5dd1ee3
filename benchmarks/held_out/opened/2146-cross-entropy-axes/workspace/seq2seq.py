import math

import torch
import torch.nn as nn


class Positions(nn.Module):
    def __init__(self, d_model, max_len):
        super().__init__()
        pos = torch.arange(max_len).unsqueeze(1)
        div = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
        table = torch.zeros(max_len, d_model)
        table[:, 0::2] = torch.sin(pos * div)
        table[:, 1::2] = torch.cos(pos * div)
        self.register_buffer("table", table)

    def forward(self, x):
        return x + self.table[: x.size(1)]


class DateTransformer(nn.Module):
    def __init__(self, n_src, n_tgt, hp):
        super().__init__()
        self.src_emb = nn.Embedding(n_src, hp["d_model"], padding_idx=0)
        self.tgt_emb = nn.Embedding(n_tgt, hp["d_model"], padding_idx=0)
        self.positions = Positions(hp["d_model"], hp["max_len"])
        self.core = nn.Transformer(hp["d_model"], hp["heads"], hp["layers"], hp["layers"], hp["ff"],
                                   dropout=0.0, batch_first=True)
        self.out = nn.Linear(hp["d_model"], n_tgt)

    def encode(self, src):
        return self.core.encoder(self.positions(self.src_emb(src)), src_key_padding_mask=src == 0)

    def decode(self, tgt, memory, src, tgt_mask):
        h = self.core.decoder(self.positions(self.tgt_emb(tgt)), memory, tgt_mask=tgt_mask,
                              memory_key_padding_mask=src == 0)
        return self.out(h)

    def forward(self, src, tgt, tgt_mask):
        return self.decode(tgt, self.encode(src), src, tgt_mask)


def causal(n):
    return torch.ones(n, n, dtype=torch.bool).triu(1)
