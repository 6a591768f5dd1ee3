import logging
import warnings

import lightning as L
from lightning.pytorch.callbacks import ModelCheckpoint

from cxr.datamodule import FINDINGS, ChestData
from cxr.module import FindingClassifier

warnings.filterwarnings("ignore", ".*does not have many workers.*")
logging.getLogger("lightning.pytorch").setLevel(logging.WARNING)


def main():
    L.seed_everything(21)
    data = ChestData(size=48)
    model = FindingClassifier(FINDINGS, widths=(16, 32, 48), pos_weight=1.5)
    best = ModelCheckpoint(
        dirpath="checkpoints",
        filename="cxr-{epoch:02d}",
        monitor="val/auc",
        mode="max",
        auto_insert_metric_name=False,
    )
    trainer = L.Trainer(
        max_epochs=4,
        accelerator="cpu",
        devices=1,
        callbacks=[best],
        logger=False,
        log_every_n_steps=5,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    trainer.fit(model, datamodule=data)
    print(f"best val auc {best.best_model_score:.3f} in {best.best_model_path.split('/')[-1]}")

    tuned = FindingClassifier.load_from_checkpoint(best.best_model_path)
    trainer.test(tuned, datamodule=data)


if __name__ == "__main__":
    main()
