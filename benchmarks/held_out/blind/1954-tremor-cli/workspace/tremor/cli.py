"""Command line: `prepare` cuts the windows, `train` fits the forecaster."""
from pathlib import Path

import click
import numpy as np

CHANNELS = ("amplitude", "tilt", "gas")


@click.group()
def cli():
    """Volcanic tremor forecasting."""


@cli.command()
@click.argument("csv", type=click.Path(exists=True, dir_okay=False))
@click.option("--lookback", default=24, show_default=True, help="hours of history per window")
@click.option("--lead", default=3, show_default=True, help="hours ahead")
@click.option("--out", default="work/windows.npz", show_default=True)
def prepare(csv, lookback, lead, out):
    from tremor.windows import cut_windows, read_station

    frame = read_station(csv, CHANNELS)
    x, y, stats = cut_windows(frame, lookback, lead, target="amplitude")
    Path(out).parent.mkdir(parents=True, exist_ok=True)
    np.savez(out, x=x, y=y, **stats)
    click.echo(f"{len(x)} windows, x {x.shape}, y {y.shape} -> {out}")


@cli.command()
@click.argument("npz", type=click.Path(exists=True, dir_okay=False))
@click.option("--lookback", default=24, show_default=True)
@click.option("--hidden", default=32, show_default=True)
@click.option("--epochs", default=20, show_default=True)
@click.option("--lr", default=3e-3, show_default=True)
@click.option("--seed", default=0, show_default=True)
def train(npz, lookback, hidden, epochs, lr, seed):
    from tremor.fit import fit
    from tremor.net import init_mlp

    with np.load(npz) as z:
        x, y = z["x"], z["y"]
        scale = float(z["target_std"])
    params = init_mlp(seed, [lookback * len(CHANNELS), hidden, hidden, 1])
    n_valid = len(x) // 5
    fit(params, (x[:-n_valid], y[:-n_valid]), (x[-n_valid:], y[-n_valid:]),
        epochs=epochs, lr=lr, seed=seed, scale=scale, echo=click.echo)
