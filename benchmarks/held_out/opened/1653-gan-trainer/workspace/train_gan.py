import logging

import click
import torch
from torch.utils.data import DataLoader

from gan.data import make_rings
from gan.nets import Discriminator, Generator, init_weights
from gan.trainer import GANTrainer

logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
log = logging.getLogger("rings")


@click.command()
@click.option("--images", default=1024, show_default=True)
@click.option("--batch-size", default=64, show_default=True)
@click.option("--z-dim", default=32, show_default=True)
@click.option("--epochs", default=2, show_default=True)
@click.option("--seed", default=0, show_default=True)
def main(images, batch_size, z_dim, epochs, seed):
    torch.manual_seed(seed)
    loader = DataLoader(make_rings(images, seed=seed), batch_size=batch_size, shuffle=True, drop_last=True)
    generator = Generator(z_dim).apply(init_weights)
    discriminator = Discriminator().apply(init_weights)
    trainer = GANTrainer(generator, discriminator)
    log.info("%d images, %d batches per epoch", images, len(loader))

    for epoch in range(epochs):
        totals = {}
        for (real,) in loader:
            stats = trainer.step(real)
            for k, v in stats.items():
                totals[k] = totals.get(k, 0.0) + v / len(loader)
        log.info("epoch %d %s", epoch, " ".join(f"{k}={v:.3f}" for k, v in totals.items()))

    with torch.no_grad():
        samples = generator.eval()(generator.sample_noise(16))
    log.info("sample range %.2f..%.2f", samples.min(), samples.max())


if __name__ == "__main__":
    main()
