import torch
from torch import nn


class QueueClassifier(nn.Module):
    def __init__(self, vocab_size, queues, width, hidden, dropout):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, width, padding_idx=0)
        self.encoder = nn.GRU(width, hidden, batch_first=True, bidirectional=True)
        self.dropout = nn.Dropout(dropout)
        self.head = nn.Linear(2 * hidden, queues)

    def forward(self, ids):
        embedded = self.embedding(ids)
        states, _ = self.encoder(embedded)
        mask = (ids != 0).unsqueeze(-1)
        pooled = (states * mask).sum(1) / mask.sum(1).clamp(min=1)
        return self.head(self.dropout(pooled))
