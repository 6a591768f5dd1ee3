import click
import numpy as np
import torch
import torch.nn.functional as F

from scorer import HybridScorer
from tables import prepare


class ItemSide:
    """Looks up the side columns of sampled items."""

    def __init__(self, frame, n_items):
        first = frame.drop_duplicates("item_idx").set_index("item_idx")
        self.ids = np.array(first.index)
        self.category = first["category_idx"].to_dict()
        self.price = first["price_log"].to_dict()

    def columns(self, items):
        cat = torch.tensor([self.category[int(i)] for i in items], dtype=torch.long)
        price = torch.tensor([self.price[int(i)] for i in items], dtype=torch.float32)
        return torch.as_tensor(items, dtype=torch.long), cat, price


def batches(frame, size, rng):
    order = rng.permutation(len(frame))
    for start in range(0, len(order), size):
        yield frame.iloc[order[start:start + size]]


@click.command()
@click.option("--epochs", default=5, show_default=True)
@click.option("--batch-size", default=128, show_default=True)
@click.option("--lr", default=0.01, show_default=True)
@click.option("--l2", default=1e-5, show_default=True)
@click.option("--seed", default=0, show_default=True)
def main(epochs, batch_size, lr, l2, seed):
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    data = prepare()
    click.echo(f"{len(data.train)} train rows, {data.n_customers} customers, "
               f"{data.n_items} items, {len(data.categories)} categories")

    side = ItemSide(data.train, data.n_items)
    model = HybridScorer(data.n_customers, data.n_items, len(data.categories))
    optimizer = torch.optim.Adam(model.parameters(), lr=lr, weight_decay=l2)

    for epoch in range(epochs):
        losses = []
        for rows in batches(data.train, batch_size, rng):
            customer = torch.tensor(rows["customer_idx"].to_numpy(copy=True), dtype=torch.long)
            weight = torch.tensor(rows["weight"].to_numpy(copy=True), dtype=torch.float32)
            pos = model(customer, *side.columns(rows["item_idx"].to_numpy(copy=True)))
            neg = model(customer, *side.columns(rng.choice(side.ids, len(rows))))
            loss = -(weight * F.logsigmoid(pos - neg)).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        click.echo(f"epoch {epoch}: bpr {np.mean(losses):.4f}")


if __name__ == "__main__":
    main()
