import re
from collections import Counter

import pandas as pd
import torch
from torch import nn, optim
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(1)
PAD, UNK = 0, 1

data = pd.read_csv("data/reviews.csv")
data["label"] = (data["sentiment"] == "positive").astype(int)
data = data.sample(frac=1, random_state=1).reset_index(drop=True)
split = int(len(data) * 0.8)
train_df, test_df = data[:split], data[split:]


def tokenize(text):
    return re.findall(r"[a-z']+", text.lower())


counter = Counter()
for t in train_df["review"]:
    counter.update(tokenize(t))
words = [w for w, c in counter.most_common() if c >= 2]
word2idx = {w: i for i, w in enumerate(words, start=2)}
vocab_size = len(word2idx) + 2
print("vocab:", vocab_size)


def encode(text):
    return [word2idx.get(t, UNK) for t in tokenize(text)]


class ReviewDataset(Dataset):
    def __init__(self, df):
        self.x = [torch.tensor(encode(t), dtype=torch.long) for t in df["review"]]
        self.y = torch.tensor(df["label"].values, dtype=torch.float32)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


def collate(batch):
    xs, ys = zip(*batch)
    lengths = torch.tensor([len(x) for x in xs])
    return pad_sequence(xs, batch_first=True, padding_value=PAD), lengths, torch.stack(ys)


class SentimentLSTM(nn.Module):
    def __init__(self, vocab_size, emb_dim=32, hidden=48):
        super().__init__()
        self.emb = nn.Embedding(vocab_size, emb_dim, padding_idx=PAD)
        self.lstm = nn.LSTM(emb_dim, hidden, batch_first=True)
        self.out = nn.Linear(hidden, 1)

    def forward(self, x, lengths):
        e = self.emb(x)
        packed = pack_padded_sequence(e, lengths, batch_first=True, enforce_sorted=False)
        _, (h, _) = self.lstm(packed)
        return self.out(h[-1]).squeeze(1)


train_loader = DataLoader(ReviewDataset(train_df), batch_size=16, shuffle=True, collate_fn=collate)
test_loader = DataLoader(ReviewDataset(test_df), batch_size=16, collate_fn=collate)

model = SentimentLSTM(vocab_size)
opt = optim.Adam(model.parameters(), lr=5e-3)
loss_fn = nn.BCEWithLogitsLoss()

for epoch in range(8):
    model.train()
    losses = []
    for x, lengths, y in train_loader:
        opt.zero_grad()
        logits = model(x, lengths)
        loss = loss_fn(logits, y)
        loss.backward()
        opt.step()
        losses.append(loss.item())
    model.eval()
    correct = 0
    with torch.no_grad():
        for x, lengths, y in test_loader:
            correct += ((model(x, lengths) > 0) == (y > 0.5)).sum().item()
    print(f"epoch {epoch + 1}: loss {sum(losses) / len(losses):.4f} test acc {correct / len(test_df):.3f}")
