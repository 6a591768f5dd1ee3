import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence


class TicketClassifier(nn.Module):
    def __init__(self, n_tokens, n_classes, dim, hidden, pad_id):
        super().__init__()
        self.embed = nn.Embedding(n_tokens, dim, padding_idx=pad_id)
        self.rnn = nn.GRU(dim, hidden, batch_first=True, bidirectional=True)
        self.drop = nn.Dropout(0.2)
        self.out = nn.Linear(2 * hidden, n_classes)

    def forward(self, tokens, lengths):
        x = self.embed(tokens)
        packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        _, h = self.rnn(packed)
        h = torch.cat([h[0], h[1]], dim=-1)
        return self.out(self.drop(h))
