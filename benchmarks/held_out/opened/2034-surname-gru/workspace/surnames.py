# Character level RNN: guess the language of a surname
import random
import string
import torch
import torch.nn as nn
from torch.nn.utils.rnn import pad_sequence, pack_padded_sequence
from torch.utils.data import Dataset, DataLoader, random_split

random.seed(3)
torch.manual_seed(3)

NAMES = {
    "Italian": "Abandonato Bellini Caruso Donati Esposito Ferrari Giordano Lombardi Mancini Palmieri "
               "Ricci Santoro Valentini Zanetti Rossetti Marchetti Bianchi Conti".split(),
    "Russian": "Abakumov Bogdanov Chernov Dmitriev Fedorov Golubev Ivanov Kuznetsov Lebedev Morozov "
               "Nikolaev Orlov Petrov Romanov Smirnov Tarasov Volkov Zaitsev".split(),
    "Japanese": "Abe Fujimoto Hashimoto Inoue Kobayashi Matsumoto Nakamura Ogawa Sakamoto Takahashi "
                "Ueda Watanabe Yamada Yoshida Kato Saito Mori Ito".split(),
}
LANGS = sorted(NAMES)
CHARS = string.ascii_lowercase
char2idx = {c: i + 1 for i, c in enumerate(CHARS)}  # 0 is padding


class SurnameDataset(Dataset):
    def __init__(self, names):
        self.samples = []
        for lang, items in names.items():
            for name in items:
                self.samples.append((name.lower(), LANGS.index(lang)))

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, i):
        name, label = self.samples[i]
        return torch.tensor([char2idx[c] for c in name]), label


def pad_collate(batch):
    seqs, labels = zip(*batch)
    lengths = torch.tensor([len(s) for s in seqs])
    padded = pad_sequence(seqs, batch_first=True, padding_value=0)
    return padded, lengths, torch.tensor(labels)


class CharGRU(nn.Module):
    def __init__(self, n_chars, emb=16, hidden=32, n_out=3):
        super().__init__()
        self.emb = nn.Embedding(n_chars, emb, padding_idx=0)
        self.gru = nn.GRU(emb, hidden, batch_first=True)
        self.fc = nn.Linear(hidden, n_out)

    def forward(self, x, lengths):
        packed = pack_padded_sequence(self.emb(x), lengths, batch_first=True, enforce_sorted=False)
        _, h = self.gru(packed)
        return self.fc(h[-1])


dataset = SurnameDataset(NAMES)
n_val = 12
train_set, val_set = random_split(dataset, [len(dataset) - n_val, n_val])
train_loader = DataLoader(train_set, batch_size=8, shuffle=True, collate_fn=pad_collate)
val_loader = DataLoader(val_set, batch_size=8, shuffle=False)

model = CharGRU(len(CHARS) + 1, n_out=len(LANGS))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)


def evaluate(loader):
    model.eval()
    hits, n = 0, 0
    with torch.no_grad():
        for x, lengths, y in loader:
            hits += (model(x, lengths).argmax(1) == y).sum().item()
            n += y.size(0)
    return hits / n


for epoch in range(1, 16):
    model.train()
    total = 0
    for x, lengths, y in train_loader:
        optimizer.zero_grad()
        loss = criterion(model(x, lengths), y)
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(f"epoch {epoch:2d}: loss {total / len(train_loader):.3f}")
    if epoch % 5 == 0:
        print(f"    val acc {evaluate(val_loader):.2f}")
