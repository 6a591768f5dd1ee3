import random
import re
import torch
import torch.nn as nn
import torch.nn.functional as F

random.seed(0)
torch.manual_seed(0)

good = ["great", "lovely", "tasty", "friendly", "perfect", "fresh", "amazing"]
bad = ["awful", "cold", "rude", "slow", "bland", "dirty", "terrible"]
things = ["food", "service", "pizza", "waiter", "place", "dessert", "music", "coffee"]


def make_review():
    label = random.randint(0, 1)
    words = good if label == 1 else bad
    n = random.randint(1, 3)
    parts = ["the %s was %s" % (random.choice(things), random.choice(words)) for _ in range(n)]
    return " and ".join(parts) + " !", label


reviews = [make_review() for _ in range(800)]


def tokenize(text):
    return re.findall(r"[a-z!]+", text.lower())


# build the vocab
# 0 = padding, 1 = unknown
word2idx = {}
for text, _ in reviews:
    for w in tokenize(text):
        if w not in word2idx:
            word2idx[w] = len(word2idx) + 2
print("words:", len(word2idx))

MAX_LEN = 16


def encode(text):
    ids = [word2idx.get(w, 1) for w in tokenize(text)][:MAX_LEN]
    return ids + [0] * (MAX_LEN - len(ids))


X = torch.tensor([encode(t) for t, _ in reviews])
Y = torch.tensor([l for _, l in reviews]).float()


class SentimentNet(nn.Module):
    def __init__(self, vocab_size, emb_dim=24, n_filters=16):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim, padding_idx=0)
        self.conv = nn.Conv1d(emb_dim, n_filters, kernel_size=3, padding=1)
        self.out = nn.Linear(n_filters, 1)

    def forward(self, x):
        e = self.embedding(x)
        e = e.permute(0, 2, 1)
        h = F.relu(self.conv(e))
        h = h.max(dim=2)[0]
        return self.out(h).squeeze(1)


VOCAB_SIZE = len(word2idx) + 1
model = SentimentNet(VOCAB_SIZE)
optimizer = torch.optim.Adam(model.parameters(), lr=0.005)
criterion = nn.BCEWithLogitsLoss()

batch = 32
for epoch in range(5):
    perm = torch.randperm(len(X))
    total = 0
    for i in range(0, len(X), batch):
        idx = perm[i:i + batch]
        optimizer.zero_grad()
        loss = criterion(model(X[idx]), Y[idx])
        loss.backward()
        optimizer.step()
        total += loss.item() * len(idx)
    print(f"Epoch {epoch}: {total / len(X):.4f}")

with torch.no_grad():
    for s in ["the pizza was bland", "the staff was lovely !"]:
        p = torch.sigmoid(model(torch.tensor([encode(s)])))
        print(s, "->", round(p.item(), 3))
