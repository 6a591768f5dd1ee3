import json
import math

import torch
from torch import nn

from vocab import CharVocab


class CharRNN(nn.Module):
    def __init__(self, vocab_size, embed_dim, hidden_dim, num_layers):
        super().__init__()
        self.embed = nn.Embedding(vocab_size, embed_dim)
        self.rnn = nn.GRU(embed_dim, hidden_dim, num_layers, batch_first=True)
        self.out = nn.Linear(hidden_dim, vocab_size)

    def forward(self, x, h=None):
        y, h = self.rnn(self.embed(x), h)
        return self.out(y), h


def batchify(ids, batch_size):
    data = torch.tensor(ids, dtype=torch.long)
    n = data.numel() // batch_size
    return data[: n * batch_size].view(batch_size, n)


def windows(data, seq_len):
    for start in range(0, data.size(1) - 1, seq_len):
        end = min(start + seq_len, data.size(1) - 1)
        yield data[:, start:end], data[:, start + 1:end + 1]


def run_epoch(model, data, cfg, criterion, optimizer=None):
    model.train(optimizer is not None)
    hidden, total, count = None, 0.0, 0
    for x, y in windows(data, cfg["seq_len"]):
        logits, hidden = model(x, hidden)
        hidden = hidden.detach()
        loss = criterion(logits.reshape(-1, logits.size(-1)), y.reshape(-1))
        if optimizer is not None:
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), cfg["grad_clip"])
            optimizer.step()
        total += loss.item() * y.numel()
        count += y.numel()
    return total / count


@torch.no_grad()
def sample(model, vocab, start, length, device):
    model.eval()
    x = torch.tensor([vocab.encode(start)], device=device)
    hidden, out = None, list(start)
    for _ in range(length):
        logits, hidden = model(x, hidden)
        probs = torch.softmax(logits[0, -1], dim=-1)
        nxt = torch.multinomial(probs, 1)
        out.append(vocab.itos[nxt.item()])
        x = nxt.view(1, 1)
    return "".join(out)


def main():
    with open("settings.json") as f:
        cfg = json.load(f)
    torch.manual_seed(0)
    device = torch.device(cfg["device"])

    with open(cfg["corpus"], encoding="utf-8") as f:
        text = f.read()
    split = int(len(text) * cfg["train_fraction"])
    train_text, valid_text = text[:split], text[split:]
    vocab = CharVocab.from_text(train_text)
    print(f"{len(text)} characters, vocabulary of {len(vocab)}")

    train_data = batchify(vocab.encode(train_text), cfg["batch_size"])
    valid_data = batchify(vocab.encode(valid_text), 4)

    model = CharRNN(len(vocab), cfg["embed_dim"], cfg["hidden_dim"], cfg["num_layers"])
    model = model.to(device)
    train_data, valid_data = train_data.to(device), valid_data.to(device)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=cfg["learning_rate"])

    for epoch in range(cfg["epochs"]):
        train_loss = run_epoch(model, train_data, cfg, criterion, optimizer)
        with torch.no_grad():
            valid_loss = run_epoch(model, valid_data, cfg, criterion)
        print(f"epoch {epoch}: train {train_loss:.3f} valid {valid_loss:.3f} ppl {math.exp(valid_loss):.1f}")

    print(sample(model, vocab, "The ", cfg["sample_length"], device))


if __name__ == "__main__":
    main()
