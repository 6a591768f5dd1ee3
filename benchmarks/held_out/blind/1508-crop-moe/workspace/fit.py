import click
import torch
from torch.utils.data import DataLoader

from cropmoe.fields import FieldTable
from cropmoe.moe import MixtureRegressor, objective
from cropmoe.settings import Settings


@torch.no_grad()
def validate(model, data, y_std):
    model.eval()
    num, cat, y = data.tensors
    pred, _, gate = model(num, cat)
    rmse = (pred - y).square().mean().sqrt() * y_std
    return rmse.item(), (gate > 0).float().mean(0).tolist()


@click.command()
@click.option("--config", default="conf/moe.yaml", show_default=True)
@click.option("--seed", default=1)
def main(config, seed):
    torch.manual_seed(seed)
    s = Settings.load(config)
    fields = FieldTable(s.data)
    model = MixtureRegressor(len(s.data.numeric), fields.cardinalities, s.model)
    optim = dict(s.optim)
    opt = getattr(torch.optim, optim.pop("name"))(model.parameters(), **optim)
    loader = DataLoader(fields.train, batch_size=s.batch_size, shuffle=True)
    click.echo(f"{len(fields.train)} train rows, {len(fields.valid)} validation rows, levels {fields.cardinalities}")
    for epoch in range(1, s.epochs + 1):
        model.train()
        total = 0.0
        for num, cat, y in loader:
            pred, balance, _ = model(num, cat)
            loss = objective(pred, y, balance, s.model.balance)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(y)
        if epoch % 5 == 0:
            rmse, load = validate(model, fields.valid, fields.y_std)
            load = " ".join(f"{x:.2f}" for x in load)
            click.echo(f"epoch {epoch:2d} loss {total / len(fields.train):.4f} rmse {rmse:.3f} t/ha load [{load}]")


if __name__ == "__main__":
    main()
