import argparse

import lightning as L

from forecast.data import LoadDataModule
from forecast.module import GRUForecaster


class PrintLosses(L.Callback):
    def on_train_epoch_end(self, trainer, pl_module):
        m = trainer.callback_metrics
        print(f"epoch {trainer.current_epoch}: "
              f"train_loss={float(m['train_loss']):.4f} val_loss={float(m['val_loss']):.4f}", flush=True)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--lookback", type=int, default=48)
    p.add_argument("--horizon", type=int, default=12)
    p.add_argument("--epochs", type=int, default=3)
    a = p.parse_args()

    L.seed_everything(1)
    dm = LoadDataModule(lookback=a.lookback, horizon=a.horizon)
    model = GRUForecaster(horizon=a.horizon)
    trainer = L.Trainer(
        max_epochs=a.epochs,
        accelerator="cpu",
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        num_sanity_val_steps=0,
        callbacks=[PrintLosses()],
    )
    trainer.fit(model, datamodule=dm)


if __name__ == "__main__":
    main()
