import torch
import torch.nn as nn


class Embeddings(nn.Module):
    """Word and learned position embeddings; padding keeps its own position."""

    def __init__(self, vocab, dim, max_len, pad_id=1, dropout=0.1):
        super().__init__()
        self.pad_id = pad_id
        self.word = nn.Embedding(vocab, dim, padding_idx=pad_id)
        self.position = nn.Embedding(max_len, dim, padding_idx=pad_id)
        self.norm = nn.LayerNorm(dim)
        self.drop = nn.Dropout(dropout)

    def position_ids(self, ids):
        keep = ids.ne(self.pad_id).long()
        return torch.cumsum(keep, dim=1) * keep + self.pad_id

    def forward(self, ids):
        x = self.word(ids) + self.position(self.position_ids(ids))
        return self.drop(self.norm(x))


class Encoder(nn.Module):
    def __init__(self, vocab, dim=128, heads=4, depth=2, max_len=96, pad_id=1):
        super().__init__()
        self.pad_id = pad_id
        self.embed = Embeddings(vocab, dim, max_len, pad_id)
        layer = nn.TransformerEncoderLayer(dim, heads, dim * 4, batch_first=True, norm_first=True)
        self.layers = nn.TransformerEncoder(layer, depth, enable_nested_tensor=False)
        self.lm_head = nn.Linear(dim, vocab)

    def forward(self, ids):
        h = self.layers(self.embed(ids), src_key_padding_mask=ids.eq(self.pad_id))
        return self.lm_head(h)
