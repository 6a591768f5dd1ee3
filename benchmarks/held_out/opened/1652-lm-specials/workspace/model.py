import torch
from torch import nn


class TinyLM(nn.Module):
    def __init__(self, vocab_size, d_model=48, n_heads=4, n_layers=2, max_len=32, dropout=0.1):
        super().__init__()
        self.tok = nn.Embedding(vocab_size, d_model)
        self.pos = nn.Embedding(max_len, d_model)
        layer = nn.TransformerEncoderLayer(
            d_model, n_heads, dim_feedforward=4 * d_model, dropout=dropout, batch_first=True, norm_first=True
        )
        self.blocks = nn.TransformerEncoder(layer, n_layers, enable_nested_tensor=False)
        self.norm = nn.LayerNorm(d_model)
        self.out = nn.Linear(d_model, vocab_size, bias=False)
        self.out.weight = self.tok.weight

    def forward(self, ids, pad_mask=None):
        length = ids.shape[1]
        pos = torch.arange(length, device=ids.device)
        h = self.tok(ids) + self.pos(pos)[None]
        causal = torch.triu(torch.ones(length, length, dtype=torch.bool, device=ids.device), 1)
        h = self.blocks(h, mask=causal, src_key_padding_mask=pad_mask)
        return self.out(self.norm(h))
