import torch
from torch import nn


class SentimentEncoder(nn.Module):
    def __init__(self, vocab_size, max_len, n_classes, dim=48, heads=4, layers=2):
        super().__init__()
        self.tok = nn.Embedding(vocab_size, dim, padding_idx=0)
        self.pos = nn.Embedding(max_len, dim)
        layer = nn.TransformerEncoderLayer(dim, heads, dim * 2, dropout=0.1, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.head = nn.Linear(dim, n_classes)

    def forward(self, ids, pad_mask):
        positions = torch.arange(ids.size(1), device=ids.device)
        x = self.tok(ids) + self.pos(positions)
        x = self.encoder(x, src_key_padding_mask=pad_mask)
        return self.head(x[:, 0])
