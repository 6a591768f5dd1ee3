import torch
from torch import nn

from shoprec.models import register


@register("sasrec")
class SASRec(nn.Module):
    def __init__(self, n_items, max_len, dim=32, heads=2, layers=2, dropout=0.1):
        super().__init__()
        self.items = nn.Embedding(n_items, dim, padding_idx=0)
        self.positions = nn.Embedding(max_len, dim)
        self.drop = nn.Dropout(dropout)
        layer = nn.TransformerEncoderLayer(dim, heads, dim * 2, dropout, activation="gelu", batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.norm = nn.LayerNorm(dim)

    def encode(self, seq):
        b, n = seq.shape
        pos = torch.arange(n, device=seq.device)
        h = self.drop(self.items(seq) + self.positions(pos))
        causal = torch.ones(n, n, dtype=torch.bool, device=seq.device).triu(1)
        # padded keys stay visible: masking them would leave rows without any key
        return self.norm(self.encoder(h, mask=causal))

    def forward(self, seq, pos, neg):
        h = self.encode(seq)
        return (h * self.items(pos)).sum(-1), (h * self.items(neg)).sum(-1)

    def rank_scores(self, seq):
        return self.encode(seq)[:, -1] @ self.items.weight.T
