import sys
import warnings

import lightning.pytorch as pl
from lightning.pytorch.callbacks import Callback, EarlyStopping, ModelCheckpoint
from omegaconf import OmegaConf

from segkit import SegModule, ShapesDataModule

warnings.filterwarnings("ignore", ".*does not have many workers.*")


class PrintMetrics(Callback):
    def on_validation_epoch_end(self, trainer, module):
        if trainer.sanity_checking:
            return
        m = {k: round(float(v), 4) for k, v in trainer.callback_metrics.items()}
        print(f"[epoch {trainer.current_epoch}] {m}")


def main():
    cfg = OmegaConf.load("conf/default.yaml")
    cfg.merge_with_dotlist(sys.argv[1:])
    pl.seed_everything(cfg.seed)

    dm = ShapesDataModule(cfg.data)
    model = SegModule(cfg.net, cfg.optim, n_classes=len(cfg.data.classes))
    ckpt = ModelCheckpoint(cfg.trainer.log_dir, monitor="val_iou", mode="max", filename="best")
    stop = EarlyStopping(monitor="val_iou", mode="max", patience=cfg.trainer.patience)
    trainer = pl.Trainer(
        max_epochs=cfg.trainer.max_epochs,
        accelerator="cpu",
        logger=False,
        enable_progress_bar=False,
        callbacks=[ckpt, stop, PrintMetrics()],
    )
    trainer.fit(model, datamodule=dm)
    print("best", ckpt.best_model_path, float(ckpt.best_model_score))


if __name__ == "__main__":
    main()
