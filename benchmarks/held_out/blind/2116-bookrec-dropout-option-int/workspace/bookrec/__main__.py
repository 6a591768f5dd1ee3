import click
import torch
from torch.utils.data import DataLoader

from bookrec.data import PairDataset, load_loans
from bookrec.metrics import hit_rate
from bookrec.model import BPR


@click.group()
def cli():
    """Recommend library books from past loans."""


@cli.command()
@click.argument("csv", type=click.Path(exists=True))
@click.option("--dim", default=16, show_default=True)
@click.option("--dropout", default=0, show_default=True)
@click.option("--lr", default=0.02, show_default=True)
@click.option("--epochs", default=5, show_default=True)
@click.option("--batch-size", default=64, show_default=True)
@click.option("--k", default=10, show_default=True)
def fit(csv, dim, dropout, lr, epochs, batch_size, k):
    """Fit a BPR model and report the hit rate."""
    torch.manual_seed(0)
    loans = load_loans(csv)
    click.echo(f"{loans.n_users} readers, {loans.n_items} books, {len(loans.train)} loans")
    loader = DataLoader(PairDataset(loans.train, loans.n_items), batch_size, shuffle=True)
    model = BPR(loans.n_users, loans.n_items, dim, dropout)
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    for epoch in range(epochs):
        model.train()
        total = 0.0
        for u, pos, neg in loader:
            loss = model(u, pos, neg)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(u)
        hr = hit_rate(model, loans.train, loans.test, k)
        click.echo(f"epoch {epoch + 1}  loss {total / len(loans.train):.4f}  HR@{k} {hr:.3f}")


if __name__ == "__main__":
    cli()
