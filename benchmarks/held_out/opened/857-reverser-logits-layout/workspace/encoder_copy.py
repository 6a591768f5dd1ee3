import math
import torch
import torch.nn as nn

torch.manual_seed(0)
VOCAB, SEQ_LEN, D_MODEL, BATCH = 12, 10, 32, 32
PAD = 0


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=50):
        super().__init__()
        pe = torch.zeros(max_len, d_model)
        pos = torch.arange(0, max_len).unsqueeze(1)
        div = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
        pe[:, 0::2] = torch.sin(pos * div)
        pe[:, 1::2] = torch.cos(pos * div)
        self.register_buffer('pe', pe)

    def forward(self, x):
        return x + self.pe[:x.size(1)]


class Reverser(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(VOCAB, D_MODEL, padding_idx=PAD)
        self.pos = PositionalEncoding(D_MODEL)
        layer = nn.TransformerEncoderLayer(D_MODEL, nhead=4, dim_feedforward=64, dropout=0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, num_layers=2)
        self.fc = nn.Linear(D_MODEL, VOCAB)

    def forward(self, src):
        mask = src == PAD
        x = self.pos(self.embed(src) * math.sqrt(D_MODEL))
        x = self.encoder(x, src_key_padding_mask=mask)
        return self.fc(x)


def make_batch():
    src = torch.zeros(BATCH, SEQ_LEN, dtype=torch.long)
    tgt = torch.zeros(BATCH, SEQ_LEN, dtype=torch.long)
    for i in range(BATCH):
        n = torch.randint(4, SEQ_LEN + 1, (1,)).item()
        s = torch.randint(1, VOCAB, (n,))
        src[i, :n] = s
        tgt[i, :n] = s.flip(0)
    return src, tgt


model = Reverser()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
criterion = nn.CrossEntropyLoss(ignore_index=PAD)

for step in range(80):
    src, tgt = make_batch()
    out = model(src)
    loss = criterion(out, tgt)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 0:
        print(f'step {step} loss {loss.item():.3f}')

src, tgt = make_batch()
pred = model(src).argmax(-1)
mask = tgt != PAD
print('token accuracy', (pred[mask] == tgt[mask]).float().mean().item())
