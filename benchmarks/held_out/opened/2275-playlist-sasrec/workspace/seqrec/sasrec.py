import torch
import torch.nn as nn


class SASRec(nn.Module):
    def __init__(self, n_items, max_len, dim=32, heads=2, layers=1, dropout=0.1):
        super().__init__()
        self.items = nn.Embedding(n_items, dim, padding_idx=0)
        self.positions = nn.Embedding(max_len, dim)
        layer = nn.TransformerEncoderLayer(dim, heads, 2 * dim, dropout, batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.norm = nn.LayerNorm(dim)
        self.register_buffer("causal", torch.triu(torch.ones(max_len, max_len, dtype=torch.bool), 1))

    def forward(self, history):
        pos = torch.arange(history.size(1), device=history.device)
        h = self.items(history) + self.positions(pos)
        h = self.norm(self.encoder(h, mask=self.causal))
        return h @ self.items.weight.T
