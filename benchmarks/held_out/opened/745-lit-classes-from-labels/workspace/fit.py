import lightning as L
from lightning.pytorch.callbacks import Callback, ModelCheckpoint

from conf import Conf
from datamodule import DigitsDataModule
from litmodel import LitDigits


class PrintMetrics(Callback):
    def on_validation_epoch_end(self, trainer, pl_module):
        if trainer.sanity_checking:
            return
        m = trainer.callback_metrics
        print(f"epoch {trainer.current_epoch} val_loss {m['val_loss']:.4f} val_acc {m['val_acc']:.3f}")


def main():
    L.seed_everything(1)
    conf = Conf()
    ckpt = ModelCheckpoint(dirpath="ckpts", monitor="val_acc", mode="max")
    trainer = L.Trainer(max_epochs=conf.epochs, accelerator="cpu", logger=False, enable_progress_bar=False,
                        callbacks=[PrintMetrics(), ckpt], enable_model_summary=False)
    dm = DigitsDataModule(conf)
    model = LitDigits(conf)
    trainer.fit(model, datamodule=dm)
    print("best", ckpt.best_model_path.split("/")[-1])
    result = trainer.test(model, datamodule=dm, verbose=False)
    print("test", result)


if __name__ == "__main__":
    main()
