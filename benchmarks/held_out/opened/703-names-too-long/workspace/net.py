import torch
import torch.nn as nn


class CharRNN(nn.Module):
    def __init__(self, vocab_size, emb, hidden, layers):
        super(CharRNN, self).__init__()
        self.hidden = hidden
        self.layers = layers
        self.emb = nn.Embedding(vocab_size, emb)
        self.rnn = nn.GRU(emb, hidden, layers, batch_first=True)
        self.out = nn.Linear(hidden, vocab_size)

    def forward(self, x, h=None):
        e = self.emb(x)
        o, h = self.rnn(e, h)
        return self.out(o), h

    def start(self, n):
        return torch.zeros(self.layers, n, self.hidden)
