import argparse
import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

from corpus import make_corpus
from model import TinyLM
from vocab import Vocab

SPECIALS = ("<pad>", "<unk>", "<bos>", "<eos>")


@dataclass
class LMConfig:
    vocab_size: int
    d_model: int = 48
    n_heads: int = 4
    n_layers: int = 2
    max_len: int = 32


class Collator:
    def __init__(self, vocab):
        self.vocab = vocab
        self.pad, self.bos, self.eos = (vocab.stoi[t] for t in ("<pad>", "<bos>", "<eos>"))

    def __call__(self, batch):
        rows = [torch.tensor([self.bos, *self.vocab.encode(s), self.eos]) for s in batch]
        ids = pad_sequence(rows, batch_first=True, padding_value=self.pad)
        return ids[:, :-1], ids[:, 1:]


def perplexity(model, loader, pad):
    model.eval()
    nll, count = 0.0, 0
    with torch.no_grad():
        for x, y in loader:
            logits = model(x, x == pad)
            nll += F.cross_entropy(logits.flatten(0, 1), y.flatten(), ignore_index=pad, reduction="sum").item()
            count += (y != pad).sum().item()
    return math.exp(nll / count)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--sentences", type=int, default=1200)
    ap.add_argument("--min-freq", type=int, default=2)
    ap.add_argument("--epochs", type=int, default=3)
    ap.add_argument("--lr", type=float, default=3e-3)
    args = ap.parse_args()
    torch.manual_seed(0)

    sentences = make_corpus(args.sentences)
    n_val = len(sentences) // 10
    train, val = sentences[n_val:], sentences[:n_val]

    vocab = Vocab.from_corpus(train, min_freq=args.min_freq)
    config = LMConfig(vocab_size=len(vocab))
    for token in SPECIALS:
        vocab.add(token)
    print(f"{len(train)} training sentences, {len(val)} validation sentences")

    collate = Collator(vocab)
    train_loader = DataLoader(train, batch_size=32, shuffle=True, collate_fn=collate)
    val_loader = DataLoader(val, batch_size=64, collate_fn=collate)

    model = TinyLM(config.vocab_size, config.d_model, config.n_heads, config.n_layers, config.max_len)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    for epoch in range(args.epochs):
        model.train()
        for x, y in train_loader:
            logits = model(x, x == collate.pad)
            loss = F.cross_entropy(logits.flatten(0, 1), y.flatten(), ignore_index=collate.pad)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
        print(f"epoch {epoch}: val ppl {perplexity(model, val_loader, collate.pad):.2f}")


if __name__ == "__main__":
    main()
