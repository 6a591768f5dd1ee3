import click
import torch
from tqdm import tqdm

from sigver.loaders import make_loaders
from sigver.siamese import Siamese, contrastive_loss


@click.group()
def cli():
    """Signature verification."""


@cli.command()
@click.option("--pairs", default=241, show_default=True)
@click.option("--writers", default=12, show_default=True)
@click.option("--val-pairs", default=48, show_default=True)
@click.option("--batch-size", default=32, show_default=True)
@click.option("--epochs", default=3, show_default=True)
@click.option("--seed", default=5)
def train(pairs, writers, val_pairs, batch_size, epochs, seed):
    torch.manual_seed(seed)
    train_loader, val_loader = make_loaders(pairs, writers, batch_size, val_pairs, seed)
    model = Siamese()
    opt = torch.optim.Adam(model.parameters(), lr=2e-3)
    for epoch in range(epochs):
        model.train()
        for a, b, same in tqdm(train_loader, desc=f"epoch {epoch}", ncols=70):
            loss = contrastive_loss(model(a, b), same)
            opt.zero_grad()
            loss.backward()
            opt.step()
        model.eval()
        hits = 0
        with torch.no_grad():
            for a, b, same in val_loader:
                hits += ((model(a, b) < 0.25) == same.bool()).sum().item()
        click.echo(f"loss {loss.item():.3f}  verification accuracy {hits / val_pairs:.2f}")


if __name__ == "__main__":
    cli()
