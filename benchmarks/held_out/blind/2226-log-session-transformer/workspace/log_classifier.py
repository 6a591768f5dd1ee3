import math
import random

import torch
import torch.nn as nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

torch.manual_seed(0)
random.seed(0)

VOCAB, PAD = 40, 0


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, dropout=0.1, max_len=128):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        position = torch.arange(max_len).unsqueeze(1)
        div = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
        pe = torch.zeros(1, max_len, d_model)
        pe[0, :, 0::2] = torch.sin(position * div)
        pe[0, :, 1::2] = torch.cos(position * div)
        self.register_buffer("pe", pe)

    def forward(self, x):
        x = x + self.pe[:, : x.size(1)]
        return self.dropout(x)


class LogClassifier(nn.Module):
    def __init__(self, d_model=32, nhead=4, n_classes=2):
        super().__init__()
        self.emb = nn.Embedding(VOCAB, d_model, padding_idx=PAD)
        self.pos = PositionalEncoding(d_model)
        layer = nn.TransformerEncoderLayer(d_model, nhead, 64, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, num_layers=2, enable_nested_tensor=False)
        self.out = nn.Linear(d_model, n_classes)

    def forward(self, tokens, pad_mask):
        h = self.pos(self.emb(tokens))
        h = self.encoder(h, src_key_padding_mask=pad_mask)
        keep = (~pad_mask).unsqueeze(-1).float()
        pooled = (h * keep).sum(1) / keep.sum(1)
        return self.out(pooled)


def sessions(n):
    data = []
    for i in range(n):
        length = 150 if i % 50 == 49 else random.randint(10, 60)
        label = random.randint(0, 1)
        seq = [random.randint(2, VOCAB - 1) for _ in range(length)]
        if label:
            for k in random.sample(range(length), 4):
                seq[k] = 1
        data.append((torch.tensor(seq), label))
    return data


def collate(batch):
    seqs, labels = zip(*batch)
    tokens = pad_sequence(seqs, batch_first=True, padding_value=PAD)
    return tokens, tokens == PAD, torch.tensor(labels)


train_set, test_set = sessions(400), sessions(100)
loader = DataLoader(train_set, batch_size=16, collate_fn=collate)
model = LogClassifier()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
criterion = nn.CrossEntropyLoss()

for epoch in range(2):
    for step, (tokens, mask, labels) in enumerate(loader):
        loss = criterion(model(tokens, mask), labels)
        opt.zero_grad()
        loss.backward()
        opt.step()
        if step % 5 == 0:
            print(f"epoch {epoch} step {step} len {tokens.shape[1]} loss {loss.item():.3f}")

model.eval()
hits = 0
with torch.no_grad():
    for tokens, mask, labels in DataLoader(test_set, batch_size=50, collate_fn=collate):
        hits += (model(tokens, mask).argmax(1) == labels).sum().item()
print("test accuracy", hits / len(test_set))
