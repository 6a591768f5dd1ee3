import click
import torch
from loguru import logger

from kws.features import SpectrogramConfig
from kws.train import train


@click.command()
@click.option("--manifest", type=click.Path(exists=True), default="manifest.jsonl", show_default=True)
@click.option("--n-fft", default=128, show_default=True)
@click.option("--hop", default=64, show_default=True)
@click.option("--epochs", default=6, show_default=True)
@click.option("--lr", default=0.01, show_default=True)
@click.option("--seed", default=0, show_default=True)
def cli(manifest, n_fft, hop, epochs, lr, seed):
    """Train a tiny keyword spotter on synthetic tones."""
    torch.manual_seed(seed)
    spec = SpectrogramConfig(n_fft=n_fft, hop=hop)
    logger.info("spectrogram {}", spec)
    acc = train(manifest, spec, epochs, lr)
    logger.success("final accuracy {:.3f}", acc)


if __name__ == "__main__":
    cli()
