import torch
import torch.nn as nn


class CharLSTM(nn.Module):
    def __init__(self, n_chars, emb=24, hidden=64, layers=1, dropout=0.1):
        super().__init__()
        self.layers, self.hidden = layers, hidden
        self.embed = nn.Embedding(n_chars, emb)
        self.drop = nn.Dropout(dropout)
        self.lstm = nn.LSTM(emb, hidden, layers, batch_first=True)
        self.decoder = nn.Linear(hidden, n_chars)

    def init_state(self, batch_size):
        p = next(self.parameters())
        z = p.new_zeros(self.layers, batch_size, self.hidden)
        return z, z.clone()

    def forward(self, x, state):
        out, state = self.lstm(self.drop(self.embed(x)), state)
        return self.decoder(self.drop(out)), state

    @torch.no_grad()
    def generate(self, corpus, prefix, n=60, temperature=0.7):
        self.eval()
        state = self.init_state(1)
        out = prefix
        ids = torch.tensor([[corpus.index[c] for c in prefix]])
        for _ in range(n):
            logits, state = self(ids, state)
            probs = torch.softmax(logits[0, -1] / temperature, -1)
            nxt = torch.multinomial(probs, 1)
            out += corpus.chars[nxt.item()]
            ids = nxt.view(1, 1)
        return out
