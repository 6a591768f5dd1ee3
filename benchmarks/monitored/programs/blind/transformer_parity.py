# metric: held-out accuracy ([\d.]+) higher
import math

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(4)
VOCAB, LENGTH, CLASSES = 12, 12, 4


def generate(n):
    tokens = torch.randint(4, VOCAB, (n, LENGTH))
    labels = torch.randint(0, CLASSES, (n,))
    for row, label in zip(tokens, labels):
        row[torch.randperm(LENGTH)[:3]] = label
    return tokens, labels


class Encoder(nn.Module):
    def __init__(self, d_model=32, heads=4, layers=2):
        super().__init__()
        self.tokens = nn.Embedding(VOCAB, d_model)
        self.positions = nn.Parameter(torch.randn(LENGTH, d_model) * 0.02)
        layer = nn.TransformerEncoderLayer(d_model, heads, 64, dropout=0.1, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, layers)
        self.norm = nn.LayerNorm(d_model)
        self.classify = nn.Linear(d_model, CLASSES)

    def forward(self, x):
        h = self.tokens(x) + self.positions
        h = self.norm(self.encoder(h).mean(dim=1))
        return self.classify(h)


def warmup(step, warm=20, total=200):
    if step < warm:
        return (step + 1) / warm
    return max(0.05, 0.5 * (1 + math.cos(math.pi * (step - warm) / (total - warm))))


train_x, train_y = generate(1500)
test_x, test_y = generate(400)
loader = DataLoader(TensorDataset(train_x, train_y), batch_size=32, shuffle=True, drop_last=True)
model = Encoder()
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=0.05)
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, warmup)
loss_fn = nn.CrossEntropyLoss(label_smoothing=0.05)
for epoch in range(4):
    model.train()
    for step, (tokens, labels) in enumerate(loader):
        loss = loss_fn(model(tokens), labels)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        scheduler.step()
        if step % 20 == 0:
            print(f"epoch {epoch} step {step} loss {loss.item():.4f}")
    model.eval()
    with torch.no_grad():
        accuracy = (model(test_x).argmax(-1) == test_y).float().mean().item()
    print(f"epoch {epoch} accuracy {accuracy:.4f}")
print(f"held-out accuracy {accuracy:.4f}")
