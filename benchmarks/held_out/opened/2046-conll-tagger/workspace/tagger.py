"""BiLSTM NER tagger on CoNLL-style files.

usage: python tagger.py [--epochs N]
"""
import argparse
import random
from collections import Counter

import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

PAD, UNK = "<pad>", "<unk>"


def read_conll(path):
    """Yield (tokens, tags) per sentence; columns are separated by a single space."""
    tokens, tags = [], []
    with open(path, encoding="utf-8") as f:
        for line in f:
            line = line.strip()
            if not line:
                if tokens:
                    yield tokens, tags
                tokens, tags = [], []
                continue
            tok, tag = line.split(" ")
            tokens.append(tok)
            tags.append(tag)
    if tokens:
        yield tokens, tags


def read_labels(path):
    with open(path) as f:
        return [line.strip() for line in f if line.strip()]


class Vocab:
    def __init__(self, sentences, min_count=2):
        counts = Counter(t.lower() for toks, _ in sentences for t in toks)
        self.itos = [PAD, UNK] + sorted(w for w, c in counts.items() if c >= min_count)
        self.stoi = {w: i for i, w in enumerate(self.itos)}

    def encode(self, tokens):
        return [self.stoi.get(t.lower(), self.stoi[UNK]) for t in tokens]

    def __len__(self):
        return len(self.itos)


def shape_id(token):
    if token.isupper():
        return 1
    if token[0].isupper():
        return 2
    if any(c.isdigit() for c in token):
        return 3
    return 0


def numericalize(sentences, vocab, tag2id):
    out = []
    for toks, tags in sentences:
        w = torch.tensor(vocab.encode(toks))
        s = torch.tensor([shape_id(t) for t in toks])
        y = torch.tensor([tag2id[t] for t in tags])
        out.append((w, s, y))
    return out


def batches(data, size, shuffle):
    order = list(range(len(data)))
    if shuffle:
        random.shuffle(order)
    for i in range(0, len(order), size):
        chunk = sorted((data[j] for j in order[i : i + size]), key=lambda x: -len(x[0]))
        w, s, y = zip(*chunk)
        lens = torch.tensor([len(t) for t in w])
        yield (
            pad_sequence(w, batch_first=True),
            pad_sequence(s, batch_first=True),
            pad_sequence(y, batch_first=True, padding_value=-100),
            lens,
        )


class Tagger(nn.Module):
    def __init__(self, n_words, n_tags, dim=32, hidden=32):
        super().__init__()
        self.emb = nn.Embedding(n_words, dim, padding_idx=0)
        self.shape = nn.Embedding(4, 8)
        self.lstm = nn.LSTM(dim + 8, hidden, batch_first=True, bidirectional=True)
        self.drop = nn.Dropout(0.2)
        self.out = nn.Linear(2 * hidden, n_tags)

    def forward(self, w, s, lens):
        x = self.drop(torch.cat([self.emb(w), self.shape(s)], dim=-1))
        h, _ = self.lstm(pack_padded_sequence(x, lens, batch_first=True))
        h, _ = pad_packed_sequence(h, batch_first=True)
        return self.out(self.drop(h))


def spans(tags):
    found, start, kind = set(), None, None
    for i, t in enumerate(list(tags) + ["O"]):
        if start is not None and not (t.startswith("I-") and t[2:] == kind):
            found.add((start, i, kind))
            start = None
        if t.startswith("B-"):
            start, kind = i, t[2:]
    return found


@torch.no_grad()
def f1(model, data, labels):
    model.eval()
    tp = fp = fn = 0
    for w, s, y, lens in batches(data, 32, shuffle=False):
        pred = model(w, s, lens).argmax(-1)
        for p, g, n in zip(pred.tolist(), y.tolist(), lens.tolist()):
            ps = spans(labels[i] for i in p[:n])
            gs = spans(labels[i] for i in g[:n])
            tp, fp, fn = tp + len(ps & gs), fp + len(ps - gs), fn + len(gs - ps)
    return 2 * tp / max(1, 2 * tp + fp + fn)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--train", default="data/train.conll")
    ap.add_argument("--dev", default="data/dev.conll")
    ap.add_argument("--labels", default="data/labels.txt")
    ap.add_argument("--epochs", type=int, default=10)
    ap.add_argument("--batch-size", type=int, default=16)
    ap.add_argument("--lr", type=float, default=0.01)
    args = ap.parse_args()
    random.seed(7)
    torch.manual_seed(7)

    labels = read_labels(args.labels)
    tag2id = {t: i for i, t in enumerate(labels)}
    train_sents = list(read_conll(args.train))
    dev_sents = list(read_conll(args.dev))
    vocab = Vocab(train_sents)
    print(f"{len(train_sents)} train / {len(dev_sents)} dev sentences, {len(vocab)} words, {len(labels)} tags")
    train = numericalize(train_sents, vocab, tag2id)
    dev = numericalize(dev_sents, vocab, tag2id)

    model = Tagger(len(vocab), len(labels))
    opt = torch.optim.Adam(model.parameters(), lr=args.lr)
    loss_fn = nn.CrossEntropyLoss(ignore_index=-100)
    for epoch in range(1, args.epochs + 1):
        model.train()
        total = 0.0
        for w, s, y, lens in batches(train, args.batch_size, shuffle=True):
            loss = loss_fn(model(w, s, lens).flatten(0, 1), y.flatten())
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            opt.step()
            total += loss.item() * len(w)
        print(f"epoch {epoch:2d}  loss {total / len(train):.4f}  dev f1 {f1(model, dev, labels):.3f}")


if __name__ == "__main__":
    main()
