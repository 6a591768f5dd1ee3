import math

import torch
import torch.nn.functional as F
from torch import nn


class CausalLM(nn.Module):
    def __init__(self, n_tokens, d_model=48, n_heads=4, n_layers=2, max_len=64):
        super().__init__()
        self.max_len = max_len
        self.tok = nn.Embedding(n_tokens, d_model)
        self.pos = nn.Embedding(max_len, d_model)
        layer = nn.TransformerEncoderLayer(
            d_model, n_heads, 4 * d_model, dropout=0.0, batch_first=True, norm_first=True
        )
        self.blocks = nn.TransformerEncoder(layer, n_layers, enable_nested_tensor=False)
        self.out = nn.Linear(d_model, n_tokens)
        self.scale = math.sqrt(d_model)

    def forward(self, ids):
        n = ids.size(1)
        h = self.tok(ids) * self.scale + self.pos(torch.arange(n, device=ids.device))
        mask = nn.Transformer.generate_square_subsequent_mask(n, device=ids.device)
        return self.out(self.blocks(h, mask=mask, is_causal=True))


def lm_loss(logits, ids, pad_id):
    return F.cross_entropy(
        logits[:, :-1].reshape(-1, logits.size(-1)), ids[:, 1:].reshape(-1), ignore_index=pad_id
    )
