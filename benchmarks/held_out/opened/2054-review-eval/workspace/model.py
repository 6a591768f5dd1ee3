import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence


class ReviewClassifier(nn.Module):
    def __init__(self, vocab_size, emb_dim=24, hidden=24, n_classes=3, dropout=0.3):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim, padding_idx=0)
        self.gru = nn.GRU(emb_dim, hidden, batch_first=True, bidirectional=True)
        self.dropout = nn.Dropout(dropout)
        self.fc = nn.Linear(2 * hidden, n_classes)

    def forward(self, tokens, lengths):
        x = self.dropout(self.embedding(tokens))
        packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        _, h = self.gru(packed)
        return self.fc(self.dropout(torch.cat([h[0], h[1]], dim=-1)))
