import argparse
from dataclasses import asdict

import pytorch_lightning as pl
from pytorch_lightning.callbacks import Callback, EarlyStopping, ModelCheckpoint

from datamodule import RentDataModule
from model import RentModel
from settings import Settings


class PrintMetrics(Callback):
    def on_train_epoch_end(self, trainer, module):
        m = {k: round(float(v), 4) for k, v in trainer.callback_metrics.items()}
        print(f"epoch {trainer.current_epoch}: {m}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("command", choices=["fit", "validate"])
    parser.add_argument("--ckpt")
    args = parser.parse_args()

    s = Settings()
    pl.seed_everything(s.seed)
    dm = RentDataModule(s.data)
    model = RentModel(**asdict(s.model))
    ckpt = ModelCheckpoint("checkpoints", monitor="val_loss", filename="rent-{epoch}-{val_loss:.3f}")
    trainer = pl.Trainer(
        max_epochs=s.max_epochs,
        accelerator="cpu",
        callbacks=[ckpt, EarlyStopping("val_loss", patience=3), PrintMetrics()],
        logger=False,
        enable_progress_bar=False,
        log_every_n_steps=2,
    )
    if args.command == "fit":
        trainer.fit(model, dm)
        print("best:", ckpt.best_model_path.split("/")[-1])
    else:
        trainer.validate(model, dm, ckpt_path=args.ckpt)


if __name__ == "__main__":
    main()
