"""Sequence models used in the surname notebooks."""
import torch
from torch import nn


class SurnameLSTM(nn.Module):
    """Embeds characters, runs an LSTM and classifies from the last valid step."""

    def __init__(self, n_chars, n_classes, emb_dim=16, hidden_dim=32, num_layers=1):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.num_layers = num_layers
        self.emb = nn.Embedding(n_chars, emb_dim, padding_idx=0)
        self.lstm = nn.LSTM(emb_dim, hidden_dim, num_layers, batch_first=True)
        self.fc = nn.Linear(hidden_dim, n_classes)

    def init_hidden(self, batch_size):
        weight = self.fc.weight
        shape = (self.num_layers, batch_size, self.hidden_dim)
        return weight.new_zeros(shape), weight.new_zeros(shape)

    def forward(self, x, lengths, hidden):
        out, _ = self.lstm(self.emb(x), hidden)
        last = out[torch.arange(x.size(0)), lengths - 1]
        return self.fc(last)
