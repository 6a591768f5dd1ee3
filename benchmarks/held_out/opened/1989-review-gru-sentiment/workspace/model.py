import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence


class ReviewGRU(nn.Module):
    def __init__(self, vocab_size, embed_dim=24, hidden_dim=32):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_dim, padding_idx=0)
        self.gru = nn.GRU(embed_dim, hidden_dim, batch_first=True)
        self.out = nn.Linear(hidden_dim, 1)

    def forward(self, tokens, lengths):
        packed = pack_padded_sequence(
            self.embedding(tokens), lengths, batch_first=True, enforce_sorted=False
        )
        _, hidden = self.gru(packed)
        return self.out(hidden[-1]).squeeze(1)
