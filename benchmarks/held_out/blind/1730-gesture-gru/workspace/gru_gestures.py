import torch
import torch.nn as nn
from torch.utils.data import Dataset, DataLoader
import math

BATCH_SIZE = 32
SEQ_LEN = 25
HIDDEN = 48
LAYERS = 2
EPOCHS = 4
CLASSES = ["circle", "line", "shake"]


class GestureData(Dataset):
    """accelerometer x,y,z"""

    def __init__(self, n=450, seed=0):
        g = torch.Generator().manual_seed(seed)
        t = torch.linspace(0, 2 * math.pi, SEQ_LEN)
        self.samples = []
        for i in range(n):
            c = i % 3
            noise = 0.2 * torch.randn(SEQ_LEN, 3, generator=g)
            if c == 0:
                s = torch.stack([torch.sin(t), torch.cos(t), 0 * t], 1)
            elif c == 1:
                s = torch.stack([t / 6, 0 * t, 0 * t], 1)
            else:
                s = torch.stack([torch.sin(8 * t)] * 3, 1)
            self.samples.append((s + noise, c))

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, i):
        return self.samples[i]


class GRUNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(3, HIDDEN, LAYERS, batch_first=True, dropout=0.1)
        self.fc = nn.Linear(HIDDEN, len(CLASSES))

    def init_hidden(self, batch_size):
        return torch.zeros(LAYERS, batch_size, HIDDEN)

    def forward(self, x, h):
        out, h = self.gru(x, h)
        return self.fc(out[:, -1]), h


torch.manual_seed(0)
train_loader = DataLoader(GestureData(450, 0), batch_size=BATCH_SIZE, shuffle=True)
val_loader = DataLoader(GestureData(96, 1), batch_size=BATCH_SIZE)

model = GRUNet()
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)

for epoch in range(EPOCHS):
    model.train()
    h = model.init_hidden(BATCH_SIZE)
    for step, (x, label) in enumerate(train_loader):
        h = h.detach()
        output, h = model(x, h)
        loss = criterion(output, label)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 7 == 0:
            print("epoch {} step {}/{} loss {:.4f}".format(epoch, step, len(train_loader), loss.item()))

model.eval()
correct = 0
with torch.no_grad():
    h = model.init_hidden(BATCH_SIZE)
    for x, label in val_loader:
        out, h = model(x, h)
        correct += (out.argmax(1) == label).sum().item()
print("val acc", correct / 96)
