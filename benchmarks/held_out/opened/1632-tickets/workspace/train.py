import sys
import tomllib

import torch
from torch import nn
from torch.utils.data import DataLoader

from model import TicketClassifier
from tickets import PRIORITIES, Batcher, read_tickets, split
from vocab import Vocab


def evaluate(model, loader):
    model.eval()
    hit = n = 0
    with torch.no_grad():
        for tokens, lengths, labels in loader:
            hit += (model(tokens, lengths).argmax(-1) == labels).sum().item()
            n += len(labels)
    return hit / n


def main(config_path="config.toml"):
    with open(config_path, "rb") as f:
        cfg = tomllib.load(f)
    torch.manual_seed(cfg["train"]["seed"])

    tickets = read_tickets(cfg["data"]["path"])
    train, valid = split(tickets, cfg["data"]["valid_every"])
    vocab = Vocab((t.text for t in train), cfg["data"]["min_count"])
    print(f"train {len(train)}  valid {len(valid)}  vocabulary {len(vocab)}")

    batcher = Batcher(vocab, cfg["data"]["max_len"])
    bs = cfg["train"]["batch_size"]
    train_loader = DataLoader(train, bs, shuffle=True, collate_fn=batcher)
    valid_loader = DataLoader(valid, bs, collate_fn=batcher)

    model = TicketClassifier(len(vocab), len(PRIORITIES), pad_id=vocab.pad_id, **cfg["model"])
    loss_fn = nn.CrossEntropyLoss()
    opt = torch.optim.Adam(model.parameters(), lr=cfg["train"]["lr"])

    for epoch in range(1, cfg["train"]["epochs"] + 1):
        model.train()
        running = 0.0
        for step, (tokens, lengths, labels) in enumerate(train_loader, 1):
            opt.zero_grad()
            loss = loss_fn(model(tokens, lengths), labels)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            running += loss.item()
            if step % 5 == 0:
                print(f"epoch {epoch} step {step} loss {running / step:.4f}")
        print(f"epoch {epoch} valid accuracy {evaluate(model, valid_loader):.3f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
