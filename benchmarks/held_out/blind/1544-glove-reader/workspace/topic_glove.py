import numpy as np
import pandas as pd
import torch
import torch.nn as nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

DIM = 10
GLOVE = "glove.mini.10d.txt"
torch.manual_seed(0)


def load_glove(path):
    vectors = {}
    with open(path, encoding="utf-8") as f:
        for line in f:
            parts = line.rstrip().split(" ")
            vectors[parts[0]] = np.asarray(parts[1:], dtype="float32")
    return vectors


def build_matrix(vocab, vectors):
    matrix = np.random.normal(0, 0.1, (len(vocab), DIM)).astype("float32")
    matrix[0] = 0
    found = 0
    for word, i in vocab.items():
        if word in vectors:
            matrix[i] = vectors[word]
            found += 1
    print(f"{found} of {len(vocab)} words have a vector")
    return torch.from_numpy(matrix)


df = pd.read_csv("sentences.csv")
topics = sorted(df["topic"].unique())
vocab = {"<pad>": 0, "<unk>": 1}
for sentence in df["sentence"]:
    for word in sentence.split():
        vocab.setdefault(word, len(vocab))

glove = load_glove(GLOVE)
emb_matrix = build_matrix(vocab, glove)


def encode(sentence):
    return torch.tensor([vocab.get(w, 1) for w in sentence.split()])


def collate(batch):
    xs, ys = zip(*batch)
    return pad_sequence([encode(s) for s in xs], batch_first=True), torch.tensor([topics.index(t) for t in ys])


loader = DataLoader(list(zip(df["sentence"], df["topic"])), batch_size=20, shuffle=True, collate_fn=collate)


class TopicNet(nn.Module):
    def __init__(self, weights, n_out):
        super().__init__()
        self.emb = nn.Embedding.from_pretrained(weights, freeze=False, padding_idx=0)
        self.lstm = nn.LSTM(weights.size(1), 16, batch_first=True)
        self.fc = nn.Linear(16, n_out)

    def forward(self, x):
        _, (h, _) = self.lstm(self.emb(x))
        return self.fc(h[-1])


net = TopicNet(emb_matrix, len(topics))
opt = torch.optim.Adam(net.parameters(), lr=0.02)
for epoch in range(8):
    right = 0
    for x, y in loader:
        out = net(x)
        loss = nn.functional.cross_entropy(out, y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        right += (out.argmax(1) == y).sum().item()
    print(epoch, round(loss.item(), 3), right / len(df))
