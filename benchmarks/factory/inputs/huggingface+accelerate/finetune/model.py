import torch
from torch import nn


class Classifier(nn.Module):
    def __init__(self, vocabulary_size, hidden_size, num_labels, num_heads=4):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary_size, hidden_size, padding_idx=0)
        self.encoder = nn.TransformerEncoderLayer(
            hidden_size, num_heads, dim_feedforward=2 * hidden_size, batch_first=True
        )
        self.dropout = nn.Dropout(0.1)
        self.classifier = nn.Linear(hidden_size, num_labels)

    def forward(self, tokens, mask):
        hidden = self.encoder(self.embedding(tokens), src_key_padding_mask=~mask)
        weights = mask.unsqueeze(-1).to(hidden.dtype)
        pooled = (hidden * weights).sum(dim=1) / weights.sum(dim=1)
        return self.classifier(self.dropout(pooled))
