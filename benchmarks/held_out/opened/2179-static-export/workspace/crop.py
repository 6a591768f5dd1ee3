"""crop.py train | export | predict"""
import dataclasses
import json

import click
import pandas as pd
import torch

from cropmodel import ModelSpec, YieldNet, tensors


@click.group()
def cli():
    pass


@cli.command()
@click.option("--table", default="plots.csv", show_default=True)
@click.option("--out", default="crop.pt", show_default=True)
@click.option("--epochs", default=150)
@click.option("--lr", default=0.01)
def train(table, out, epochs, lr):
    """Fit the network on a table with known yields."""
    torch.manual_seed(0)
    frame = pd.read_csv(table)
    spec = ModelSpec(numeric=["rain_mm", "temp_c", "nitrogen"], soils=sorted(frame["soil"].unique()))
    num, soil = tensors(frame, spec)
    target = torch.tensor(frame["yield_t"].to_numpy(), dtype=torch.float32)
    net = YieldNet(spec)
    net.mean.copy_(num.mean(0))
    net.std.copy_(num.std(0))
    opt = torch.optim.Adam(net.parameters(), lr)
    for epoch in range(epochs):
        loss = torch.nn.functional.mse_loss(net(num, soil), target)
        opt.zero_grad()
        loss.backward()
        opt.step()
    click.echo(f"trained {epochs} epochs, mse {loss.item():.4f}")
    torch.save({"spec": dataclasses.asdict(spec), "state": net.state_dict()}, out)


def restore(path):
    blob = torch.load(path)
    spec = ModelSpec(**blob["spec"])
    net = YieldNet(spec)
    net.load_state_dict(blob["state"])
    return net.eval(), spec


@cli.command()
@click.option("--checkpoint", default="crop.pt")
@click.option("--out", default="crop_program.pt2")
def export(checkpoint, out):
    """Write a self-contained program and its column list."""
    net, spec = restore(checkpoint)
    example = (torch.zeros(2, len(spec.numeric)), torch.zeros(2, dtype=torch.long))
    prog = torch.export.export(net, example)
    torch.export.save(prog, out)
    with open(out + ".json", "w") as fh:
        json.dump({"numeric": spec.numeric, "soils": spec.soils}, fh, indent=2)
    click.echo(f"exported to {out}")


@cli.command()
@click.argument("table")
@click.option("--program", default="crop_program.pt2")
@click.option("--head", default=5)
def predict(table, program, head):
    """Predict yields of a table without running the training code."""
    with open(program + ".json") as fh:
        spec = ModelSpec(**json.load(fh))
    prog = torch.export.load(program).module()
    frame = pd.read_csv(table)
    with torch.no_grad():
        frame["predicted_t"] = prog(*tensors(frame, spec)).numpy().round(3)
    click.echo(frame[["plot_id", "predicted_t"]].head(head).to_string(index=False))
    click.echo(f"mean {frame['predicted_t'].mean():.3f} over {len(frame)} plots")


if __name__ == "__main__":
    cli()
