import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class BiLSTMTagger(nn.Module):
    def __init__(self, n_words, n_tags, word_dim, hidden):
        super().__init__()
        self.emb = nn.Embedding(n_words, word_dim, padding_idx=0)
        self.lstm = nn.LSTM(word_dim + 1, hidden, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * hidden, n_tags)

    def forward(self, words, caps, lengths):
        x = torch.cat([self.emb(words), caps.unsqueeze(-1)], dim=-1)
        packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        h, _ = self.lstm(packed)
        h, _ = pad_packed_sequence(h, batch_first=True)
        return self.out(h)
