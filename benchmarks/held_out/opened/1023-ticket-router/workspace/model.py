import torch
import torch.nn as nn


class TicketRouter(nn.Module):
    """mean of word vectors + priority -> queue"""

    def __init__(self, vocab_size, n_queues, dim=32, hidden=48, pad_id=0):
        super().__init__()
        self.pad_id = pad_id
        self.words = nn.Embedding(vocab_size, dim, padding_idx=pad_id)
        self.attn = nn.Linear(dim, 1)
        self.mlp = nn.Sequential(nn.Linear(dim + 1, hidden), nn.ReLU(), nn.Dropout(0.2), nn.Linear(hidden, n_queues))

    def forward(self, ids, priority):
        emb = self.words(ids)
        score = self.attn(emb).squeeze(-1)
        score = score.masked_fill(ids == self.pad_id, -1e9)
        weight = score.softmax(dim=1).unsqueeze(-1)
        pooled = (weight * emb).sum(dim=1)
        return self.mlp(torch.cat([pooled, priority], dim=1))
