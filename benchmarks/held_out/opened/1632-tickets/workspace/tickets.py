import csv
from dataclasses import dataclass

import torch
from torch.nn.utils.rnn import pad_sequence

PRIORITIES = ["low", "normal", "urgent"]


@dataclass
class Ticket:
    text: str
    label: int


def read_tickets(path):
    with open(path, newline="", encoding="utf-8") as f:
        rows = csv.DictReader(f, delimiter="\t")
        return [
            Ticket(f"{row['subject']} {row['body']}", PRIORITIES.index(row["priority"]))
            for row in rows
        ]


def split(tickets, valid_every):
    train = [t for i, t in enumerate(tickets) if i % valid_every]
    valid = [t for i, t in enumerate(tickets) if i % valid_every == 0]
    return train, valid


class Batcher:
    """Turns a list of tickets into padded tensors."""

    def __init__(self, vocab, max_len):
        self.vocab = vocab
        self.max_len = max_len

    def __call__(self, tickets):
        encoded = [self.vocab.encode(t.text) for t in tickets]
        lengths = torch.tensor([len(ids) for ids in encoded])
        rows = [torch.tensor(ids[: self.max_len]) for ids in encoded]
        tokens = pad_sequence(rows, batch_first=True, padding_value=self.vocab.pad_id)
        labels = torch.tensor([t.label for t in tickets])
        return tokens, lengths, labels
