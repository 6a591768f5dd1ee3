import argparse
import logging

import torch
import torch.nn as nn
from torch.utils.data import DataLoader

from ner.data import IGNORE, NerDataset, collate, read_jsonl
from ner.metrics import f1
from ner.model import BiLSTMTagger
from ner.vocab import Vocab

log = logging.getLogger("ner")


def parse_args():
    p = argparse.ArgumentParser()
    p.add_argument("--train", required=True)
    p.add_argument("--dev", required=True)
    p.add_argument("--labels", required=True)
    p.add_argument("--emb-dim", type=int, default=64)
    p.add_argument("--hidden", type=int, default=64)
    p.add_argument("--epochs", type=int, default=5)
    p.add_argument("--batch-size", type=int, default=8)
    p.add_argument("--lr", type=float, default=1e-3)
    p.add_argument("--seed", type=int, default=13)
    return p.parse_args()


@torch.no_grad()
def evaluate(model, loader, labels):
    model.eval()
    gold, pred = [], []
    for x, y, lengths in loader:
        best = model(x, lengths).argmax(-1)
        for i, n in enumerate(lengths.tolist()):
            gold.append([labels.itos[j] for j in y[i, :n].tolist()])
            pred.append([labels.itos[j] for j in best[i, :n].tolist()])
    return f1(gold, pred)


def main():
    args = parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s", datefmt="%H:%M:%S")
    torch.manual_seed(args.seed)
    train_rows, dev_rows = read_jsonl(args.train), read_jsonl(args.dev)
    vocab = Vocab(t.lower() for r in train_rows for t in r["tokens"])
    labels = Vocab.from_file(args.labels)
    log.info("%d train, %d dev, vocab %d, labels %d", len(train_rows), len(dev_rows), len(vocab), len(labels))
    train = NerDataset(train_rows, vocab, labels)
    dev = NerDataset(dev_rows, vocab, labels)
    train_dl = DataLoader(train, args.batch_size, shuffle=True, collate_fn=collate)
    dev_dl = DataLoader(dev, args.batch_size, collate_fn=collate)

    model = BiLSTMTagger(len(vocab), len(labels), args.emb_dim, args.hidden)
    criterion = nn.CrossEntropyLoss(ignore_index=IGNORE)
    opt = torch.optim.Adam(model.parameters(), lr=args.lr)
    for epoch in range(args.epochs):
        model.train()
        total = 0.0
        for x, y, lengths in train_dl:
            logits = model(x, lengths)
            loss = criterion(logits.reshape(-1, logits.size(-1)), y.reshape(-1))
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
        log.info("epoch %d loss %.4f dev f1 %.3f", epoch, total / len(train_dl), evaluate(model, dev_dl, labels))


if __name__ == "__main__":
    main()
