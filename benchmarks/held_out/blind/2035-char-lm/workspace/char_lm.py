import torch
import torch.nn as nn

text = (
    "it was the best of times, it was the worst of times, it was the age of wisdom, "
    "it was the age of foolishness, it was the epoch of belief, it was the epoch of "
    "incredulity, it was the season of light, it was the season of darkness, it was the "
    "spring of hope, it was the winter of despair, we had everything before us, we had "
    "nothing before us, we were all going direct to heaven, we were all going direct the "
    "other way. "
) * 6

chars = sorted(set(text))
stoi = {c: i for i, c in enumerate(chars)}
data = torch.tensor([stoi[c] for c in text])

BATCH = 8
SEQ_LEN = 32
HIDDEN = 64
EPOCHS = 6

torch.manual_seed(42)


def batchify(ids, bsz):
    nbatch = ids.size(0) // bsz
    return ids[:nbatch * bsz].view(bsz, -1)


class CharLM(nn.Module):
    def __init__(self, vocab, emb=24, hidden=HIDDEN, layers=1):
        super().__init__()
        self.layers = layers
        self.hidden = hidden
        self.embed = nn.Embedding(vocab, emb)
        self.lstm = nn.LSTM(emb, hidden, layers, batch_first=True)
        self.decoder = nn.Linear(hidden, vocab)

    def init_hidden(self, bsz):
        w = next(self.parameters())
        return (w.new_zeros(self.layers, bsz, self.hidden),
                w.new_zeros(self.layers, bsz, self.hidden))

    def forward(self, x, hidden):
        out, hidden = self.lstm(self.embed(x), hidden)
        return self.decoder(out), hidden


model = CharLM(len(chars))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
stream = batchify(data, BATCH)
print("vocab:", len(chars), "stream:", tuple(stream.shape))

for epoch in range(EPOCHS):
    hidden = model.init_hidden(BATCH)
    losses = []
    for i in range(0, stream.size(1) - SEQ_LEN - 1, SEQ_LEN):
        inputs = stream[:, i:i + SEQ_LEN]
        targets = stream[:, i + 1:i + 1 + SEQ_LEN]
        logits, hidden = model(inputs, hidden)
        loss = criterion(logits.reshape(-1, len(chars)), targets.reshape(-1))

        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    mean = sum(losses) / len(losses)
    print(f"epoch {epoch + 1}: loss {mean:.3f}")


@torch.no_grad()
def sample(prefix, n=80):
    h = model.init_hidden(1)
    out = prefix
    x = torch.tensor([[stoi[c] for c in prefix]])
    for _ in range(n):
        logits, h = model(x, h)
        nxt = logits[0, -1].argmax().item()
        out += chars[nxt]
        x = torch.tensor([[nxt]])
    return out


print(sample("it was the "))
