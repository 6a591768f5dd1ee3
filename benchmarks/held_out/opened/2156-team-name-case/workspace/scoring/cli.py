import json
from pathlib import Path

import click
import torch

from .bag import BagClassifier
from .report import print_report
from .tickets import read_tickets


def load_model(folder):
    folder = Path(folder)
    meta = json.loads((folder / "meta.json").read_text())
    model = BagClassifier(meta["n_buckets"], meta["dim"], len(meta["teams"]))
    model.load_state_dict(torch.load(folder / f"weights-v{meta['version']}.pt"))
    return model.eval(), meta["teams"]


@click.group()
def cli():
    """Route support tickets to teams."""


@cli.command()
@click.argument("tickets", type=click.Path(exists=True))
@click.option("--model", "model_dir", default="models")
@click.option("--encoding", default="utf-8")
@click.option("--batch", default=16, show_default=True)
@torch.no_grad()
def score(tickets, model_dir, encoding, batch):
    """Score a labelled file and print the recall of each team."""
    model, teams = load_model(model_dir)
    rows = list(read_tickets(tickets, encoding))
    click.echo(f"{len(rows)} tickets")
    pairs = []
    for i in range(0, len(rows), batch):
        part = rows[i:i + batch]
        best = model([t.text for t in part]).argmax(1).tolist()
        pairs += [(t.team, teams[b]) for t, b in zip(part, best)]
    print_report(pairs, teams)


if __name__ == "__main__":
    cli()
