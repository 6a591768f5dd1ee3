import argparse
import tomllib

import torch
from torch.utils.data import DataLoader

from corpus import TEAMS, make_tickets
from layers import Router
from text import Collate, Vocab
from trainer import Trainer


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", default="router.toml")
    args = parser.parse_args()
    with open(args.config, "rb") as f:
        cfg = tomllib.load(f)
    d, t = cfg["data"], cfg["train"]
    torch.manual_seed(t["seed"])

    tickets = make_tickets(d["tickets"], t["seed"])
    n_val = int(len(tickets) * d["val_share"])
    train, val = tickets[n_val:], tickets[:n_val]
    vocab = Vocab([text for text, _ in train], d["min_freq"])
    collate = Collate(vocab, d["max_len"])
    train_loader = DataLoader(train, t["batch_size"], shuffle=True, collate_fn=collate)
    val_loader = DataLoader(val, t["batch_size"], collate_fn=collate)
    lengths = [len(text.split()) + 1 for text, _ in train]
    print(f"{len(train)} training tickets, {len(vocab)} words, "
          f"mean length {sum(lengths) / len(lengths):.1f}")

    model = Router(len(vocab), d["max_len"], len(TEAMS), **cfg["model"])
    trainer = Trainer(model, t["lr"], t["clip"], t["log_every"])
    for epoch in range(1, t["epochs"] + 1):
        trainer.train_epoch(train_loader)
        print(f"epoch {epoch}: validation accuracy {trainer.accuracy(val_loader):.3f}")
    torch.save(model.state_dict(), "router.pt")


if __name__ == "__main__":
    main()
