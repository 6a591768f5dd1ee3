import logging
import sys
import warnings

import lightning as L
import yaml
from lightning.pytorch.callbacks import EarlyStopping

from bikes_data import BikeData
from bikes_model import BikeRegressor

warnings.filterwarnings("ignore", ".*does not have many workers.*")
warnings.filterwarnings("ignore", ".*smaller than the logging interval.*")
logging.getLogger("lightning.pytorch").setLevel(logging.WARNING)


class PrintMetrics(L.Callback):
    def on_validation_epoch_end(self, trainer, module):
        if trainer.sanity_checking:
            return
        values = {k: round(v.item(), 4) for k, v in trainer.callback_metrics.items()}
        print(f"epoch {trainer.current_epoch}: {values}")


def main(path):
    with open(path) as f:
        cfg = yaml.safe_load(f)
    L.seed_everything(cfg["seed"], verbose=False)

    data = BikeData(**cfg["data"], seed=cfg["seed"])
    data.setup()
    model = BikeRegressor(num_features=data.num_features, **cfg["model"])
    callbacks = [EarlyStopping(**cfg["early_stopping"]), PrintMetrics()]

    trainer = L.Trainer(
        accelerator="cpu",
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        callbacks=callbacks,
        **cfg["trainer"],
    )
    trainer.fit(model, datamodule=data)
    best = callbacks[0].best_score.item()
    print(f"best {cfg['early_stopping']['monitor']}: {best:.4f}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "config.yaml")
