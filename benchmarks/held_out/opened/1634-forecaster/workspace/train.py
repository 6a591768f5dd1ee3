import lightning as L
import yaml
from lightning.pytorch.callbacks import Callback

from datamodule import LoadDataModule
from forecaster import Forecaster


class PrintEpoch(Callback):
    def on_train_epoch_end(self, trainer, module):
        shown = {k: round(float(v), 4) for k, v in trainer.callback_metrics.items()}
        print(f"epoch {trainer.current_epoch} {shown}", flush=True)


def main():
    with open("config.yaml") as f:
        cfg = yaml.safe_load(f)
    L.seed_everything(cfg["seed"])

    data = LoadDataModule(cfg["series"], cfg["window"], cfg["loader"], cfg["seed"])
    data.setup()
    max_epochs = cfg["trainer"]["max_epochs"]
    model = Forecaster(
        **cfg["window"],
        **cfg["model"],
        total_steps=max_epochs * data.steps_per_epoch,
    )
    trainer = L.Trainer(
        max_epochs=max_epochs,
        accelerator="cpu",
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        callbacks=[PrintEpoch()],
        num_sanity_val_steps=0,
    )
    trainer.fit(model, datamodule=data)
    print(f"final validation MAE {float(trainer.callback_metrics['val_mae']):.4f}")


if __name__ == "__main__":
    main()
