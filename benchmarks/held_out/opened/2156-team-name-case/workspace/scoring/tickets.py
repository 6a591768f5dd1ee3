import csv
from dataclasses import dataclass


@dataclass
class Ticket:
    number: int
    text: str
    team: str


def read_tickets(path, encoding="utf-8"):
    with open(path, newline="", encoding=encoding) as fh:
        for row in csv.DictReader(fh, delimiter=";"):
            yield Ticket(int(row["number"]), row["text"], row["team"].strip())
