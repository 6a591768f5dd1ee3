import torch
from torch import nn


class LSTMLanguageModel(nn.Module):
    def __init__(self, vocab_size, embed, hidden, layers, dropout):
        super().__init__()
        self.embed = nn.Embedding(vocab_size, embed)
        self.rnn = nn.LSTM(embed, hidden, layers, batch_first=True)
        self.drop = nn.Dropout(dropout)
        self.head = nn.Linear(hidden, vocab_size)

    def forward(self, ids, state=None):
        out, state = self.rnn(self.embed(ids), state)
        return self.head(self.drop(out)), state

    @torch.no_grad()
    def generate(self, prompt, length, temperature, generator=None):
        self.eval()
        ids = list(prompt)
        logits, state = self(torch.tensor([ids]))
        for _ in range(length):
            probs = (logits[0, -1] / temperature).softmax(-1)
            nxt = torch.multinomial(probs, 1, generator=generator)
            ids.append(nxt.item())
            logits, state = self(nxt.view(1, 1), state)
        return ids
