import click
import torch
from torch import nn

from corpus import HashedBag, make_posts
from loaders import make_loaders
from metrics import Running


class BagClassifier(nn.Module):
    def __init__(self, buckets, dim):
        super().__init__()
        self.bag = nn.EmbeddingBag(buckets, dim, mode="mean")
        self.mlp = nn.Sequential(nn.Linear(dim, dim), nn.ReLU(), nn.Dropout(0.3), nn.Linear(dim, 1))

    def forward(self, ids, offsets):
        return self.mlp(self.bag(ids, offsets)).squeeze(-1)


@torch.no_grad()
def evaluate(model, loader, loss_fn):
    model.eval()
    m = Running()
    for ids, offsets, y in loader:
        logit = model(ids, offsets)
        m.add(len(y), loss=loss_fn(logit, y).item())
        m.add_predictions(logit > 0, y.bool())
    return m


@click.command()
@click.option("--posts", default=600, show_default=True)
@click.option("--batch-size", default=32, show_default=True)
@click.option("--epochs", default=4, show_default=True)
@click.option("--buckets", default=2048, show_default=True)
@click.option("--lr", default=5e-3, show_default=True)
def main(posts, batch_size, epochs, buckets, lr):
    torch.manual_seed(9)
    train, val, test = make_loaders(make_posts(posts, seed=13), HashedBag(buckets), batch_size)
    model = BagClassifier(buckets, 16)
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    loss_fn = nn.BCEWithLogitsLoss()
    best = 0.0
    for epoch in range(epochs):
        model.train()
        m = Running()
        for ids, offsets, y in train:
            loss = loss_fn(model(ids, offsets), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            m.add(len(y), loss=loss.item())
        v = evaluate(model, val, loss_fn)
        best = max(best, v.f1)
        click.echo(f"epoch {epoch}: train {m.mean('loss'):.4f}  val {v.mean('loss'):.4f}  f1 {v.f1:.3f}")
    t = evaluate(model, test, loss_fn)
    click.echo(f"best val f1 {best:.3f}, test loss {t.mean('loss'):.4f}, test f1 {t.f1:.3f}")


if __name__ == "__main__":
    main()
