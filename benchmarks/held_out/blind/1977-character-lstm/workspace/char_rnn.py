import math

import torch
import torch.nn as nn

text = """
It was the best of times, it was the worst of times, it was the age of wisdom,
it was the age of foolishness, it was the epoch of belief, it was the epoch of
incredulity, it was the season of Light, it was the season of Darkness, it was
the spring of hope, it was the winter of despair, we had everything before us,
we had nothing before us, we were all going direct to Heaven, we were all going
direct the other way.
""".strip().lower() * 8

torch.manual_seed(1)

chars = sorted(set(text))
stoi = {c: i for i, c in enumerate(chars)}
itos = {i: c for c, i in stoi.items()}
data = torch.tensor([stoi[c] for c in text])
print(f"{len(text)} characters, {len(chars)} unique")

batch_size = 8
bptt = 32
hidden_size = 96
num_layers = 1
lr = 5e-3
epochs = 4
clip = 1.0


def batchify(data, bsz):
    n = data.size(0) // bsz
    return data[: n * bsz].view(bsz, n).t().contiguous()


def get_batch(source, i):
    seq_len = min(bptt, len(source) - 1 - i)
    return source[i : i + seq_len], source[i + 1 : i + 1 + seq_len]


class CharLSTM(nn.Module):
    def __init__(self, n_chars):
        super().__init__()
        self.emb = nn.Embedding(n_chars, 32)
        self.rnn = nn.LSTM(32, hidden_size, num_layers)
        self.decoder = nn.Linear(hidden_size, n_chars)

    def init_hidden(self, bsz):
        shape = (num_layers, bsz, hidden_size)
        return torch.zeros(shape), torch.zeros(shape)

    def forward(self, x, hidden):
        out, hidden = self.rnn(self.emb(x), hidden)
        return self.decoder(out), hidden


def sample(model, start, length=80):
    model.eval()
    hidden = model.init_hidden(1)
    out = start
    with torch.no_grad():
        for c in start[:-1]:
            _, hidden = model(torch.tensor([[stoi[c]]]), hidden)
        last = torch.tensor([[stoi[start[-1]]]])
        for _ in range(length):
            logits, hidden = model(last, hidden)
            p = torch.softmax(logits[-1, 0] / 0.7, dim=0)
            nxt = torch.multinomial(p, 1)
            out += itos[nxt.item()]
            last = nxt.view(1, 1)
    return out.replace("\n", " ")


train_data = batchify(data, batch_size)
model = CharLSTM(len(chars))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=lr)

for epoch in range(1, epochs + 1):
    model.train()
    hidden = model.init_hidden(batch_size)
    total, steps = 0.0, 0
    for i in range(0, train_data.size(0) - 1, bptt):
        x, y = get_batch(train_data, i)
        optimizer.zero_grad()
        logits, hidden = model(x, hidden)
        loss = criterion(logits.view(-1, len(chars)), y.reshape(-1))
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimizer.step()
        total += loss.item()
        steps += 1
    avg = total / steps
    print(f"epoch {epoch} loss {avg:.3f} ppl {math.exp(avg):.2f}")

print(sample(model, "it was "))
