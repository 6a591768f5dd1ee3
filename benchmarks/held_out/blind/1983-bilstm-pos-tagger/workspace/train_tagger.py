import argparse
import sys

import torch
import yaml
from torch import nn
from torch.utils.data import DataLoader

from reader import IGNORE, TaggingDataset, make_collate, read_conll
from tagger import BiLSTMTagger
from vocab import Vocab


def token_accuracy(model, loader):
    model.eval()
    right = total = 0
    with torch.no_grad():
        for ids, gold in loader:
            pred = model(ids).argmax(-1)
            mask = gold != IGNORE
            right += (pred[mask] == gold[mask]).sum().item()
            total += mask.sum().item()
    return right / total


def main(argv=None):
    parser = argparse.ArgumentParser(description="POS tagger")
    parser.add_argument("--config", default="config/tagger.yaml")
    parser.add_argument("--epochs", type=int)
    args = parser.parse_args(argv)
    with open(args.config) as f:
        cfg = yaml.safe_load(f)
    if args.epochs is not None:
        cfg["training"]["epochs"] = args.epochs
    torch.manual_seed(cfg["training"]["seed"])

    train_sents, train_tags = read_conll(cfg["data"]["train"])
    dev_sents, dev_tags = read_conll(cfg["data"]["dev"])
    tagset = sorted({t for labels in train_tags for t in labels})
    vocab = Vocab(train_sents, max_size=cfg["data"]["max_vocab"])
    print(f"{len(train_sents)} sentences, {len(vocab)} words, tags: {' '.join(tagset)}")

    collate = make_collate(vocab.pad_id)
    batch_size = cfg["training"]["batch_size"]
    train_dl = DataLoader(
        TaggingDataset(train_sents, train_tags, vocab, tagset),
        batch_size=batch_size,
        shuffle=True,
        collate_fn=collate,
    )
    dev_dl = DataLoader(
        TaggingDataset(dev_sents, dev_tags, vocab, tagset),
        batch_size=batch_size,
        collate_fn=collate,
    )

    model = BiLSTMTagger(len(vocab), len(tagset), pad_id=vocab.pad_id, **cfg["model"])
    loss_fn = nn.CrossEntropyLoss(ignore_index=IGNORE)
    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg["training"]["lr"])

    for epoch in range(cfg["training"]["epochs"]):
        model.train()
        for ids, gold in train_dl:
            logits = model(ids)
            loss = loss_fn(logits.transpose(1, 2), gold)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch + 1}  loss {loss.item():.3f}  dev acc {token_accuracy(model, dev_dl):.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
