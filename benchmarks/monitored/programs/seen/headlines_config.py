# metric: best accuracy ([\d.]+) higher
# config: headlines.json
import json
import random

import torch
from torch import nn
from torch.utils.data import DataLoader

with open("headlines.json") as f:
    config = json.load(f)

random.seed(config["seed"])
torch.manual_seed(config["seed"])

TOPICS = {
    "sport": "match goal team coach league score win season player final".split(),
    "money": "bank market shares profit tax trade price budget loan fund".split(),
    "science": "study planet cells energy data theory lab space gene vaccine".split(),
}
COMMON = "the a of on new in for after with and says today".split()


def make(count):
    rows = []
    for _ in range(count):
        label = random.randrange(len(TOPICS))
        words = random.choices(list(TOPICS.values())[label], k=3) + random.choices(COMMON, k=5)
        random.shuffle(words)
        rows.append((" ".join(words), label))
    return rows


train_rows, valid_rows = make(1200), make(300)
vocabulary = {w: i + 1 for i, w in enumerate(sorted({w for t, _ in train_rows for w in t.split()}))}


def collate(rows):
    ids, offsets, labels = [], [], []
    for text, label in rows:
        offsets.append(len(ids))
        ids.extend(vocabulary.get(w, 0) for w in text.split())
        labels.append(label)
    return torch.tensor(ids), torch.tensor(offsets), torch.tensor(labels)


class Headlines(nn.Module):
    def __init__(self, size, dim, classes):
        super().__init__()
        self.embedding = nn.EmbeddingBag(size, dim)
        self.fc = nn.Linear(dim, classes)

    def forward(self, ids, offsets):
        return self.fc(self.embedding(ids, offsets))


model = Headlines(len(vocabulary) + 1, config["model"]["dim"], len(TOPICS))
optimizer = torch.optim.Adam(model.parameters(), lr=config["optimizer"]["lr"])
criterion = nn.CrossEntropyLoss()
train_loader = DataLoader(train_rows, batch_size=config["batch_size"], shuffle=True, collate_fn=collate)
valid_loader = DataLoader(valid_rows, batch_size=config["batch_size"], collate_fn=collate)

best = 0.0
for epoch in range(config["epochs"]):
    model.train()
    for ids, offsets, labels in train_loader:
        optimizer.zero_grad()
        loss = criterion(model(ids, offsets), labels)
        loss.backward()
        optimizer.step()
    model.eval()
    hits = 0
    with torch.no_grad():
        for ids, offsets, labels in valid_loader:
            hits += (model(ids, offsets).argmax(1) == labels).sum().item()
    best = max(best, hits / len(valid_rows))
    print(f"epoch {epoch}: loss {loss.item():.4f} accuracy {hits / len(valid_rows):.3f}")
print(f"best accuracy {best:.4f}")
