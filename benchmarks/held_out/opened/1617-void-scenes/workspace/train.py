import click
import lightning as L
from lightning.pytorch.callbacks import EarlyStopping, LearningRateMonitor
from lightning.pytorch.loggers import CSVLogger

from scenes import SceneData
from segmenter import Segmenter


@click.command()
@click.option("--epochs", default=2)
@click.option("--lr", default=3e-3)
@click.option("--width", default=16)
@click.option("--batch-size", default=16)
@click.option("--seed", default=4)
def main(epochs, lr, width, batch_size, seed):
    L.seed_everything(seed)
    trainer = L.Trainer(
        max_epochs=epochs,
        accelerator="cpu",
        num_sanity_val_steps=0,
        logger=CSVLogger("runs", name="scenes"),
        callbacks=[EarlyStopping("val_miou", mode="max", patience=3), LearningRateMonitor()],
        enable_checkpointing=False,
        enable_progress_bar=False,
        log_every_n_steps=5,
    )
    trainer.fit(Segmenter(lr=lr, width=width), datamodule=SceneData(batch_size=batch_size))
    print({k: round(float(v), 4) for k, v in trainer.callback_metrics.items()})


if __name__ == "__main__":
    main()
