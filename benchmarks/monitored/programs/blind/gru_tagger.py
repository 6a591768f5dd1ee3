# metric: tag accuracy ([\d.]+) higher
import random

import torch
import torch.nn as nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

random.seed(3)
torch.manual_seed(3)
VOWELS, PAD = set("aeiou"), 0
ALPHABET = "abcdefghijklmnopqrstuvwxyz"


def word():
    return [random.randrange(26) for _ in range(random.randint(4, 10))]


def tags(letters):
    out = []
    for i, letter in enumerate(letters):
        vowel = ALPHABET[letter] in VOWELS
        before = i > 0 and ALPHABET[letters[i - 1]] in VOWELS
        out.append(1 + vowel + 2 * before)
    return out


data = [(torch.tensor([c + 1 for c in w]), torch.tensor(tags(w))) for w in (word() for _ in range(1500))]


def collate(batch):
    xs, ys = zip(*batch)
    return pad_sequence(xs, batch_first=True, padding_value=PAD), pad_sequence(ys, batch_first=True, padding_value=PAD)


class Tagger(nn.Module):
    def __init__(self, embed=16, hidden=24):
        super().__init__()
        self.embed = nn.Embedding(27, embed, padding_idx=PAD)
        self.gru = nn.GRU(embed, hidden, batch_first=True)
        self.dropout = nn.Dropout(0.1)
        self.project = nn.Linear(hidden, 5)

    def forward(self, x):
        states, _ = self.gru(self.embed(x))
        return self.project(self.dropout(states))


model = Tagger()
optim = torch.optim.Adam(model.parameters(), lr=0.01)
criterion = nn.CrossEntropyLoss(ignore_index=PAD)
train_loader = DataLoader(data[:1200], batch_size=32, shuffle=True, collate_fn=collate)
valid_loader = DataLoader(data[1200:], batch_size=100, collate_fn=collate)

for epoch in range(4):
    model.train()
    losses = []
    for x, y in train_loader:
        scores = model(x)
        loss = criterion(scores.reshape(-1, 5), y.reshape(-1))
        optim.zero_grad()
        loss.backward()
        optim.step()
        losses.append(float(loss))
    model.eval()
    hits = count = 0
    with torch.no_grad():
        for x, y in valid_loader:
            mask = y != PAD
            hits += ((model(x).argmax(-1) == y) & mask).sum().item()
            count += mask.sum().item()
    print(f"epoch {epoch}: loss={sum(losses) / len(losses):.4f}, valid={hits / count:.4f}")
print(f"tag accuracy {hits / count:.4f}")
