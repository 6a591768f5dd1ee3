import torch
import torch.nn as nn


class CharGRU(nn.Module):
    def __init__(self, n_chars, width, layers, dropout=0.1):
        super().__init__()
        self.embed = nn.Embedding(n_chars, width)
        self.gru = nn.GRU(width, width, layers, batch_first=True,
                          dropout=dropout if layers > 1 else 0.0)
        self.drop = nn.Dropout(dropout)
        self.out = nn.Linear(width, n_chars)

    def forward(self, x, state=None):
        h, state = self.gru(self.embed(x), state)
        return self.out(self.drop(h)), state

    @torch.no_grad()
    def generate(self, start, n):
        self.eval()
        ids, state = [start], None
        for _ in range(n):
            logits, state = self(torch.tensor([[ids[-1]]]), state)
            ids.append(torch.multinomial(logits[0, -1].softmax(-1), 1).item())
        return ids
